import { each, type Steps } from '../std/in-turns.ts'
import { invariant } from '../std/invariant.ts'
import { lazy } from '../std/lazy.ts'
import {
  columnDirectives,
  DirectiveError,
  enumDirectives,
  foreignKeyDirectives,
  functionDirectives,
  type RelationDirectives,
  relationDirectives,
  schemaDirectives,
} from './directives.ts'
import type {
  Catalog,
  Column,
  ForeignKey,
  IndexColumn,
  IndexOrder,
  Oid,
  PgFunction,
  PgType,
  Relation,
  RelationKind,
  Schema,
} from './model.ts'

/** The rows of sql/catalog/*.sql: positional, in the order of each query's list. */
export type CatalogRows = {
  readonly version: string | null
  readonly schemas: readonly SchemaRow[] | null
  readonly relations: readonly RelationRow[] | null
  readonly foreignKeys: readonly ForeignKeyRow[] | null
  readonly types: readonly TypeRow[] | null
  readonly functions: readonly FunctionRow[] | null
}
type SchemaRow = readonly [oid: Oid, name: string, comment: string | null]
type RelationRow = readonly [
  oid: Oid,
  schema: Oid,
  name: string,
  kind: string,
  rowType: Oid,
  rowSecurity: boolean,
  comment: string | null,
  columns: readonly ColumnRow[] | null,
  primaryKey: readonly number[] | null,
  uniqueKeys: readonly (readonly number[])[] | null,
  orders: readonly OrderRow[] | null,
]
type ColumnRow = readonly [
  number: number,
  name: string,
  type: Oid,
  modifier: number,
  notNull: boolean,
  generated: boolean,
  serial: boolean,
  declared: string,
  comment: string | null,
]
/** columns by number, 0 an expression; what PostgreSQL notes of each */
type OrderRow = readonly [columns: readonly number[], options: readonly number[], covers: IndexOrder['covers']]
type ForeignKeyRow = readonly [
  from: Oid,
  fromColumns: readonly number[],
  to: Oid,
  toColumns: readonly number[],
  comment: string | null,
  name: string,
]
type TypeRow = readonly [
  oid: Oid,
  schema: string,
  name: string,
  kind: string,
  element: Oid | 0,
  base: Oid | 0,
  relation: Oid | 0,
  labels: readonly string[] | null,
  comment: string | null,
  sql: string,
  delimiter: string,
]
type FunctionRow = readonly [
  oid: Oid,
  schema: Oid,
  name: string,
  argTypes: readonly Oid[],
  argNames: readonly string[],
  defaults: number,
  defaultsText: string | null,
  returns: Oid,
  returnsSet: boolean,
  rows: number,
  volatility: string,
  variadic: boolean,
  comment: string | null,
  isInlined: boolean,
]

const RELATION_KINDS: Readonly<Record<string, RelationKind>> = {
  r: 'table',
  v: 'view',
  m: 'materialized view',
  f: 'foreign table',
  p: 'partitioned table',
}
const TYPE_KINDS: Readonly<Record<string, PgType['kind']>> = {
  b: 'base',
  c: 'composite',
  d: 'domain',
  e: 'enum',
  p: 'pseudo',
  r: 'range',
  m: 'multirange',
}
const VOLATILITIES: Readonly<Record<string, PgFunction['volatility']>> = { i: 'immutable', s: 'stable', v: 'volatile' }
const BPCHAR = 1042
const VARCHAR = 1043

/**
 * Rows of the reflection query -> {@link Catalog}.
 *
 * In steps: a large catalog takes longer than other requests should wait.
 */
export function* decodeCatalog(rows: CatalogRows): Steps<Catalog> {
  const reader = directiveReader()
  const schemas = (rows.schemas ?? []).map(
    ([oid, name, comment]): Schema => ({ oid, name, directives: reader.read(schemaDirectives, comment) }),
  )
  const schemaOf = new Map(schemas.map((schema) => [schema.oid, schema]))
  const types = new Map<Oid, PgType>()
  yield* each(rows.types, (row) => types.set(row[0], decodeType(row)))
  const typeOf = (oid: Oid): PgType => {
    const type = types.get(oid)
    invariant(type, `type ${oid} is used but was not reflected`)
    return type
  }
  const relations = new Map<Oid, Relation>()
  yield* each(rows.relations, (row) => {
    const schema = schemaOf.get(row[1])
    if (schema) relations.set(row[0], decodeRelation(row, schema, typeOf, reader.read(relationDirectives, row[6])))
  })
  const foreignKeys: ForeignKey[] = []
  yield* each(rows.foreignKeys, (row) => foreignKeys.push(...constraint(row, relations)))
  const functions: PgFunction[] = []
  yield* each(rows.functions, (row) => functions.push(...decodeFunction(row, schemaOf, typeOf)))
  return {
    version: rows.version ?? '',
    schemas,
    relations,
    foreignKeys: [...foreignKeys, ...declaredForeignKeys(relations)],
    types,
    functions,
    directiveError: reader.error(),
  }
}

/** The first directive of a wrong form is what requests are told; everything is decoded all the same. */
function directiveReader() {
  let error: string | null = null
  return {
    read<T>(read: (comment: string | null) => T, comment: string | null): T {
      try {
        return read(comment)
      } catch (failure) {
        if (!(failure instanceof DirectiveError)) throw failure
        error ??= failure.message
        return read(null)
      }
    },
    error: () => error,
  }
}

function decodeType([oid, schema, name, kind, element, base, relation, labels, comment, sql, delimiter]: TypeRow): PgType {
  return {
    oid,
    schema,
    name,
    kind: TYPE_KINDS[kind] ?? 'base',
    element: element === 0 ? null : element,
    base: base === 0 ? null : base,
    relation: relation === 0 ? null : relation,
    labels: labels ?? [],
    directives: enumDirectives(comment),
    sql,
    delimiter,
  }
}

function decodeRelation(row: RelationRow, schema: Schema, typeOf: (oid: Oid) => PgType, directives: RelationDirectives): Relation {
  const [oid, , name, kind, rowType, rowSecurity, , columnRows, primaryKey, uniqueKeys, orders] = row
  const columns = (columnRows ?? []).map((column) => decodeColumn(column, typeOf))
  const numbered = (numbers: readonly number[]) => columns.filter((column) => numbers.includes(column.number))
  const namedByComment = () =>
    (directives.primaryKeyColumns ?? []).flatMap((wanted) => columns.find((column) => column.name === wanted) ?? [])
  return {
    oid,
    schema,
    name,
    kind: RELATION_KINDS[kind] ?? 'table',
    rowType,
    rowSecurity,
    columns,
    primaryKey: primaryKey ? numbered(primaryKey) : namedByComment(),
    uniqueKeys: (uniqueKeys ?? []).map(numbered),
    indexOrders: (orders ?? []).map((order) => decodeOrder(order, columns)),
    directives,
  }
}

/** Up to the first expression. Of an index's options the first bit says descending, the second nulls first: by itself PostgreSQL gives both or neither. */
function decodeOrder([numbers, options, covers]: OrderRow, columns: readonly Column[]): IndexOrder {
  const ordered: IndexColumn[] = []
  for (const [i, number] of numbers.entries()) {
    const column = columns.find((one) => one.number === number)
    if (!column) break
    ordered.push({ column, descending: options[i] === 1 || options[i] === 3, nullsPlaced: options[i] === 1 || options[i] === 2 })
  }
  return { columns: ordered, covers }
}

function decodeColumn(
  [number, name, type, modifier, notNull, generated, serial, declared, comment]: ColumnRow,
  typeOf: (oid: Oid) => PgType,
): Column {
  return {
    number,
    name,
    type: typeOf(type),
    // the modifier of varchar(n) and char(n) is n + 4 (PostgreSQL's VARHDRSZ)
    maxLength: (type === VARCHAR || type === BPCHAR) && modifier >= 4 ? modifier - 4 : type === CHAR ? 1 : null,
    notNull,
    generated,
    serial,
    declared,
    directives: columnDirectives(comment),
  }
}
const CHAR = 18

/** None when it leads out of the schemas that are shown. */
function constraint(row: ForeignKeyRow, relations: ReadonlyMap<Oid, Relation>): readonly ForeignKey[] {
  const [fromOid, fromNumbers, toOid, toNumbers, comment] = row
  const from = relations.get(fromOid)
  const to = relations.get(toOid)
  if (!from || !to) return []
  const pick = (relation: Relation, numbers: readonly number[]) =>
    numbers.flatMap((n) => relation.columns.find((column) => column.number === n) ?? [])
  const directives = foreignKeyDirectives(comment)
  return [{ from, fromColumns: pick(from, fromNumbers), to, toColumns: pick(to, toNumbers), directives, declared: false }]
}

function declaredForeignKeys(relations: ReadonlyMap<Oid, Relation>): readonly ForeignKey[] {
  const place = (schema: string, name: string) => JSON.stringify([schema, name])
  const byName = lazy(() => new Map(Array.from(relations.values(), (relation) => [place(relation.schema.name, relation.name), relation])))
  const keys: ForeignKey[] = []
  for (const from of relations.values()) {
    for (const declared of from.directives.foreignKeys) {
      const to = byName().get(place(declared.foreignSchema, declared.foreignTable))
      if (!to) continue
      const pick = (relation: Relation, names: readonly string[]) =>
        names.flatMap((name) => relation.columns.find((column) => column.name === name) ?? [])
      const fromColumns = pick(from, declared.localColumns)
      const toColumns = pick(to, declared.foreignColumns)
      if (fromColumns.length !== declared.localColumns.length || toColumns.length !== declared.foreignColumns.length) continue
      keys.push({
        from,
        fromColumns,
        to,
        toColumns,
        directives: { localName: declared.localName, foreignName: declared.foreignName },
        declared: true,
      })
    }
  }
  return keys
}

function decodeFunction(row: FunctionRow, schemaOf: ReadonlyMap<Oid, Schema>, typeOf: (oid: Oid) => PgType): readonly PgFunction[] {
  const [
    oid,
    schemaOid,
    name,
    argTypes,
    argNames,
    defaults,
    defaultsText,
    returns,
    returnsSet,
    rows,
    volatility,
    variadic,
    comment,
    isInlined,
  ] = row
  const schema = schemaOf.get(schemaOid)
  if (!schema) return []
  const decoded: PgFunction = {
    oid,
    schema,
    name,
    args: argTypes.map((type, i) => ({ name: argNames[i] ?? '', type: typeOf(type) })),
    defaults,
    defaultsText,
    returns: typeOf(returns),
    returnsSet,
    rows,
    volatility: VOLATILITIES[volatility] ?? 'volatile',
    variadic,
    isInlined,
    directives: functionDirectives(comment),
  }
  return [decoded]
}
