import type { GraphqlLimits } from '../operation/limits.ts';
import type { Operation, SelectedField } from '../operation/operation.ts';
import type { Entity, RoleSchema } from '../schema/role-schema.ts';
import type { CollectionPlan, JoinColumns, Source } from './plan.ts';
/** What every planning function is given. */
export type PlanContext = {
    readonly schema: RoleSchema;
    readonly operation: Operation;
    readonly limits: GraphqlLimits;
    /** filter terms so far, of the whole operation */
    readonly spent: {
        filterTerms: number;
    };
    /** rows hold collections and collections rows: handed in, so that the files that plan them need not import each other */
    readonly planCollection: PlanCollection;
};
export type PlanCollection = (context: PlanContext, entity: Entity, field: SelectedField, from: CollectionOrigin) => CollectionPlan;
/** Where a collection's rows come from; `otherArguments`: arguments of the field that are not the connection's. */
export type CollectionOrigin = {
    readonly source: Source;
    readonly join: JoinColumns;
    readonly otherArguments?: readonly string[];
};
