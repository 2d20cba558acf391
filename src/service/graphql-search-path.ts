import { quoteIdent } from '../sqltext/sql.ts'

/** Where Supabase and those who follow it install extensions. */
const EXTENSIONS = 'extensions'

/**
 * The search path of what GraphQL asks: the schemas it shows, and behind them the one of extensions, of which nothing is shown. Operators are found along the path: without
 * it a citext there is compared as text, and an ltree not at all. PostgreSQL passes over a schema that is not there, or that a role may not use.
 */
export const graphqlSearchPath = (shown: readonly string[]): string =>
  [...shown, ...(shown.includes(EXTENSIONS) ? [] : [EXTENSIONS])].map(quoteIdent).join(', ')
