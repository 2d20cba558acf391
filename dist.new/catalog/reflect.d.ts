import type { RoleName } from '../std/brand.ts';
import type { PgText, Statement } from '../sqltext/sql.ts';
import type { Catalog } from './model.ts';
/** Runs one statement and answers its rows as text; whoever hands it in decides on which connection and in which transaction. */
export type Query = (statement: Statement) => Promise<readonly (readonly PgText[])[]>;
/**
 * What the schemas of the search path hold, and what each of the roles may do with it.
 * @throws PgError 42P01 or 3F000 when the extension is not installed
 */
export declare function reflectCatalog(query: Query, searchPath: readonly string[], roles: readonly RoleName[]): Promise<Catalog>;
