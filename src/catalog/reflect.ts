import { readFile } from 'node:fs/promises'
import type { PgText, Statement } from '../sqltext/sql.ts'
import type { RoleName } from '../std/brand.ts'
import { inTurns } from '../std/in-turns.ts'
import { lazy } from '../std/lazy.ts'
import { type CatalogRows, decodeCatalog } from './decode.ts'
import type { Catalog } from './model.ts'
import { TURNS } from './turns.ts'

/** Runs one statement and answers its rows as text; whoever hands it in decides on which connection and in which transaction. */
export type Query = (statement: Statement) => Promise<readonly (readonly PgText[])[]>

const TOPICS = [
  ['schemas', 'schemas'],
  ['relations', 'relations'],
  ['foreignKeys', 'foreign-keys'],
  ['types', 'types'],
  ['functions', 'functions'],
  ['grants', 'grants'],
] as const

/** One statement: topics and version come from one snapshot, so a catalog is never newer in one part than in another. */
const catalogQuery = lazy(async () => {
  const folder = new URL('../../sql/catalog/', import.meta.url)
  const topics = await Promise.all(
    TOPICS.map(async ([name, file]) => `'${name}', (\n${await readFile(new URL(`${file}.sql`, folder), 'utf8')})`),
  )
  return `/* catalog.reflect */ select json_build_object(
'version', (select bit_xor(id)::text from stowage_graphql.schema_version),
${topics.join(',\n')})::text`
})

/**
 * What the schemas of the search path hold, and what each of the roles may do with it.
 * @throws PgError 42P01 or 3F000 when the extension is not installed
 */
export async function reflectCatalog(query: Query, searchPath: readonly string[], roles: readonly RoleName[]): Promise<Catalog> {
  const text = await catalogQuery()
  const rows = await query({ text, values: [textArray(searchPath), textArray(roles)] })
  const decoded = JSON.parse(rows[0]?.[0] ?? '{}') as CatalogRows
  return inTurns(decodeCatalog(decoded, roles), TURNS)
}

const textArray = (items: readonly string[]): string => `{${items.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
