import type { Value } from '../operation/value.ts';
import type { Entity } from '../schema/role-schema.ts';
import type { OrderTerm } from './plan.ts';
import type { PlanContext } from './plan-context.ts';
/** The `orderBy` argument. The key's columns always follow, also when they were listed: that makes the order total and cursors alike. */
export declare function planOrder(context: PlanContext, value: Value | undefined, entity: Entity): readonly OrderTerm[];
