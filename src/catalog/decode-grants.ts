import { each, type Steps } from '../std/in-turns.ts'
import type { ColumnGrant, Grants, Oid, RelationGrants } from './model.ts'

/** JSON of sql/catalog/grants.sql for one role: two that may do the same have the same text. */
export type GrantsText = string

/** Of a role that is not there. */
export const NO_GRANTS: GrantsText = '[null,null,null,null]'

type GrantRows = readonly [
  schemas: readonly string[] | null,
  closedTypes: readonly Oid[] | null,
  functions: readonly Oid[] | null,
  relations: readonly RelationRow[] | null,
]
type RelationRow = readonly [relation: Oid, select: ColumnsRow, insert: ColumnsRow, update: ColumnsRow, remove: boolean]
type ColumnsRow = true | readonly number[] | null

/** In steps: of a large catalog it takes longer than other requests should wait. */
export function* decodeGrants(text: GrantsText): Steps<Grants> {
  const [schemas, closedTypes, functions, relationRows] = JSON.parse(text) as GrantRows
  const relations = new Map<Oid, RelationGrants>()
  const intern = interner()
  yield* each(relationRows, (row) => relations.set(row[0], intern(row)))
  return { schemas: new Set(schemas), closedTypes: new Set(closedTypes), functions: new Set(functions), relations }
}

/** Most relations of a schema are granted alike: they share one object. */
function interner(): (row: RelationRow) => RelationGrants {
  const known = new Map<string, RelationGrants>()
  return ([, ...rights]) => {
    const key = JSON.stringify(rights)
    const [select, insert, update, remove] = rights
    const found = known.get(key) ?? { select: columns(select), insert: columns(insert), update: columns(update), delete: remove }
    known.set(key, found)
    return found
  }
}

const columns = (row: ColumnsRow): ColumnGrant => (row === true ? 'all' : new Set(row))
