import type { Json } from '../operation/json.ts';
import type { Value } from '../operation/value.ts';
import type { Entity } from '../schema/role-schema.ts';
import type { Predicate } from './plan.ts';
import type { PlanContext } from './plan-context.ts';
export type NodeId = {
    readonly schema: string;
    readonly table: string;
    readonly key: readonly Json[];
};
/** A nodeId argument. What it names decides the plan, so that is guarded; its key values are not. */
export declare function readNodeId(context: PlanContext, value: Value): NodeId;
/** The row a nodeId of this entity names. */
export declare function planNodeIdPredicate(value: Value, id: NodeId, entity: Entity): Predicate;
