import type { GraphqlLimits } from '../operation/limits.ts';
import type { Operation } from '../operation/operation.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
/** What every planning function is given. */
export type PlanContext = {
    readonly schema: RoleSchema;
    readonly operation: Operation;
    readonly limits: GraphqlLimits;
    /** filter terms so far, of the whole operation */
    readonly spent: {
        filterTerms: number;
    };
};
export type Place = {
    readonly line: number;
    readonly column: number;
};
