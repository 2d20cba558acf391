import { readFile } from 'node:fs/promises'
import { isMissingObject } from '../pg/pg-error.ts'
import type { PgText, Statement } from '../sqltext/sql.ts'
import { type RoleName, roleName } from '../std/brand.ts'
import { inTurns } from '../std/in-turns.ts'
import { lazy } from '../std/lazy.ts'
import { type CatalogRows, decodeCatalog } from './decode.ts'
import { decodeGrants, type GrantsText, NO_GRANTS } from './decode-grants.ts'
import type { Catalog, Grants } from './model.ts'
import { StaleCatalog } from './stale-catalog.ts'
import { TURNS } from './turns.ts'

/** Runs one statement and answers its rows as text; whoever hands it in decides on which connection and in which transaction. */
export type Query = (statement: Statement) => Promise<readonly (readonly PgText[])[]>

const TOPICS = [
  ['schemas', 'schemas'],
  ['relations', 'relations'],
  ['foreignKeys', 'foreign-keys'],
  ['types', 'types'],
  ['functions', 'functions'],
] as const

const textOf = (file: string): Promise<string> => readFile(new URL(`../../sql/catalog/${file}.sql`, import.meta.url), 'utf8')

/** One statement: topics and version come from one snapshot, so a catalog is never newer in one part than in another. */
const catalogQuery = lazy(async () => {
  const topics = await Promise.all(TOPICS.map(async ([name, file]) => `'${name}', (\n${await textOf(file)})`))
  return `/* catalog.reflect */ select json_build_object(
'version', (select bit_xor(id)::text from stowage_graphql.schema_version),
${topics.join(',\n')})::text`
})

const grantsQuery = lazy(() => textOf('grants'))

/**
 * What the schemas of the search path hold.
 * @throws PgError 42P01 or 3F000 when the extension is not installed
 */
export async function reflectCatalog(query: Query, searchPath: readonly string[]): Promise<Catalog> {
  const rows = await query({ text: await catalogQuery(), values: [textArray(searchPath)] })
  return inTurns(decodeCatalog(JSON.parse(rows[0]?.[0] ?? '{}') as CatalogRows), TURNS)
}

/**
 * What roles may do with what a catalog holds; those that do not exist are left out. PostgreSQL is asked for every role and relation:
 * 5 us each.
 * @throws StaleCatalog when the schema is another one by now
 */
export async function readGrants(
  query: Query,
  { version }: Catalog,
  searchPath: readonly string[],
  roles: readonly RoleName[],
): Promise<ReadonlyMap<RoleName, GrantsText>> {
  const rows = await query({ text: await grantsQuery(), values: [textArray(searchPath), textArray(roles)] }).catch((error) => {
    throw isMissingObject(error) ? new StaleCatalog('the extension stowage_graphql is being replaced', { cause: error }) : error
  })
  if (rows.some(([, now]) => (now ?? '') !== version)) throw new StaleCatalog('the schema has changed since it was reflected')
  return new Map(rows.map(([role, , text]) => [roleName(role ?? ''), text ?? NO_GRANTS]))
}

/** How often a schema that keeps changing is looked at again. */
const MOST_LOOKS = 20

/**
 * Both for one role, of one version of the schema; no grants: there is no such role.
 * @throws PgError 42P01 or 3F000 when the extension is not installed; StaleCatalog when the schema does not stand still
 */
export async function reflectForRole(
  query: Query,
  searchPath: readonly string[],
  role: RoleName,
): Promise<{ readonly catalog: Catalog; readonly grants: Grants | null }> {
  for (let look = 1; ; look++) {
    const catalog = await reflectCatalog(query, searchPath)
    try {
      const text = (await readGrants(query, catalog, searchPath, [role])).get(role)
      return { catalog, grants: text === undefined ? null : await inTurns(decodeGrants(text), TURNS) }
    } catch (error) {
      if (!(error instanceof StaleCatalog) || look === MOST_LOOKS) throw error
    }
  }
}

const textArray = (items: readonly string[]): string => `{${items.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
