import type { Value } from '../operation/value.ts';
import type { OrderTerm, Page } from './plan.ts';
import type { PlanContext } from './plan-context.ts';
export type PageArguments = {
    readonly first: Value | undefined;
    readonly last: Value | undefined;
    readonly offset: Value | undefined;
    readonly before: Value | undefined;
    readonly after: Value | undefined;
};
/** The paging arguments, checked in pg_graphql's order; the page is capped by `maxRows`. */
export declare function readPage(context: PlanContext, args: PageArguments, maxRows: number): (order: readonly OrderTerm[]) => Page;
