import type { Value } from '../operation/value.ts';
import type { Entity } from '../schema/role-schema.ts';
import { type Predicate } from './plan.ts';
import type { PlanContext } from './plan-context.ts';
/** The `filter` argument: members of one object all hold. Null and absent filters let every row through. */
export declare function planFilter(context: PlanContext, value: Value | undefined, entity: Entity): Predicate;
