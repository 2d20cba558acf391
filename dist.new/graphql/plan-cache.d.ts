import type { Statement } from '../sqltext/sql.ts';
import { type GraphqlRequest, type Variables } from './operation/operation.ts';
import type { Guard } from './operation/value.ts';
import type { RoleSchema } from './schema/role-schema.ts';
import type { Compiled, Part } from './sql/compile-operation.ts';
/** A compiled operation whose values are bound: what a hot request comes to. */
export type Bound = {
    readonly kind: 'query' | 'mutation';
    readonly statements: readonly Statement[];
    readonly parts: readonly Part[];
};
/** A plan for a document, and what it takes for granted about the variables. */
export type Variant = Compiled & {
    readonly kind: 'query' | 'mutation';
    readonly guards: readonly Guard[];
    readonly defaults: Variables['defaults'];
};
export type PlanCache = {
    readonly find: (schema: RoleSchema, request: GraphqlRequest) => Bound | null;
    readonly keep: (schema: RoleSchema, request: GraphqlRequest, variant: Variant) => void;
};
export type PlanCacheOptions = {
    /** documents kept per role */
    readonly maxDocuments: number;
    /** characters of SQL and literal answers kept per role */
    readonly maxCharacters: number;
};
/** Plans by role schema and document. A schema that was replaced takes its plans with it. */
export declare function createPlanCache(options: PlanCacheOptions): PlanCache;
