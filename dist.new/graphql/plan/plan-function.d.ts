import type { SelectedField } from '../operation/operation.ts';
import type { RootFunction } from '../schema/role-schema.ts';
import { type RootPlan } from './plan.ts';
import type { PlanContext } from './plan-context.ts';
/** A function of the database as a root field. */
export declare function planRootFunction(context: PlanContext, { fn, args, returns }: RootFunction, field: SelectedField): RootPlan;
