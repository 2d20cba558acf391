import type { SelectedField } from '../operation/operation.ts';
import type { Entity } from '../schema/role-schema.ts';
import type { CollectionPlan } from './plan.ts';
import type { CollectionOrigin, PlanContext } from './plan-context.ts';
/** A connection: which rows, in which order, which page of them, and what of it is asked for. */
export declare function planCollection(context: PlanContext, entity: Entity, field: SelectedField, from: CollectionOrigin): CollectionPlan;
