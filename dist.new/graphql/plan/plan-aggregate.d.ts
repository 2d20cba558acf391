import type { SelectedField } from '../operation/operation.ts';
import type { Entity } from '../schema/role-schema.ts';
import type { AggregateField } from './plan.ts';
import type { PlanContext } from './plan-context.ts';
/** `aggregate { count sum { … } … }`: over all rows that the filter lets through, whatever the page. */
export declare function planAggregate(context: PlanContext, entity: Entity, aggregate: SelectedField): readonly AggregateField[];
