import type { DocumentCache } from './operation/document-cache.ts';
import type { GraphqlLimits } from './operation/limits.ts';
import type { GraphqlRequest } from './operation/operation.ts';
import { type Planned, type RootError } from './plan/plan-operation.ts';
import type { Bound, PlanCache } from './plan-cache.ts';
import type { RoleSchema } from './schema/role-schema.ts';
export type PrepareDeps = {
    readonly documents: DocumentCache;
    readonly plans: PlanCache;
    readonly limits: GraphqlLimits;
};
/** What is to be sent, and which roots already failed. */
export type Prepared = Bound & {
    readonly errors: readonly RootError[];
};
/**
 * A request against a role's schema -> statements with their values: out of the plan cache, or read, planned and compiled.
 * @throws GraphqlError when the request as a whole cannot be answered
 */
export declare function prepareRequest({ documents, plans, limits }: PrepareDeps, schema: RoleSchema, request: GraphqlRequest): Prepared;
/** The stages before SQL: read, then plan. Also what `explain` shows. */
export declare function planRequest({ documents, limits }: Omit<PrepareDeps, 'plans'>, schema: RoleSchema, request: GraphqlRequest): {
    planned: Planned;
    guards: readonly import("./operation/value.ts").Guard[];
    defaults: import("./operation/json.ts").JsonObject;
};
