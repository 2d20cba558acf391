import { GraphqlError } from './operation/operation.ts';
import type { RootError } from './plan/plan-operation.ts';
import type { Part } from './sql/compile-operation.ts';
/** One row per statement: the JSON texts that PostgreSQL made. */
export type Rows = readonly (readonly (string | null)[])[];
/** The response body. PostgreSQL's text is put in as it is; failed roots are left out and told of in `errors`. */
export declare function respond(parts: readonly Part[], rows: Rows, errors: readonly RootError[]): string;
/** A request that could not be answered at all. */
export declare const respondError: (error: GraphqlError) => string;
/** PostgreSQL refused: its primary message and SQLSTATE, nothing else of it. */
export declare const respondDatabaseError: (message: string, sqlstate: string) => string;
