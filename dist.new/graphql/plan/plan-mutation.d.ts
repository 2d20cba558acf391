import type { SelectedField } from '../operation/operation.ts';
import type { Entity } from '../schema/role-schema.ts';
import type { DeletePlan, InsertPlan, UpdatePlan } from './plan.ts';
import type { PlanContext } from './plan-context.ts';
/** `insertInto…Collection(objects:)`: one INSERT; a column that some rows leave out takes its default there. */
export declare function planInsert(context: PlanContext, entity: Entity, field: SelectedField): InsertPlan;
/** `update…Collection(set:, filter:, atMost:)` */
export declare function planUpdate(context: PlanContext, entity: Entity, field: SelectedField): UpdatePlan;
/** `deleteFrom…Collection(filter:, atMost:)` */
export declare function planDelete(context: PlanContext, entity: Entity, field: SelectedField): DeletePlan;
