import type { BoundParam, RootPlan } from '../plan/plan.ts';
export type CompiledStatement = {
    readonly text: string;
    readonly params: readonly BoundParam[];
};
/** Where a root's JSON text comes from: known already, or a column of the one row of a statement. */
export type Part = {
    readonly key: string;
} & ({
    readonly from: 'document';
    readonly json: string;
} | {
    readonly from: 'database';
    readonly statement: number;
    readonly column: number;
});
export type Compiled = {
    readonly statements: readonly CompiledStatement[];
    readonly parts: readonly Part[];
};
/** A query is one statement, a column a root; a mutation is one statement a root, in order. */
export declare function compileOperation(kind: 'query' | 'mutation', roots: readonly RootPlan[]): Compiled;
