import { constant, type Sql } from '../../sqltext/sql.ts'

/**
 * Null, or refuses the statement when the schema is not the one it was compiled for. The preamble could only look before: a statement
 * may have waited for a lock of the very transaction that changed the schema, and sees here, with its own snapshot, what came of that.
 * Where nobody set the version (on a client of somebody else's) it looks at nothing.
 */
export const VERSION_GUARD: Sql = constant(
  `case when (select bit_xor(v.id)::text from stowage_graphql.schema_version v) <> nullif(current_setting('stowage_graphql.compiled_for', true), '') then stowage_graphql.raise_stale_catalog() end`,
)
