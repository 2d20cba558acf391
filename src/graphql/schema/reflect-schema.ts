import type { Catalog, Column, ColumnGrant, ForeignKey, Grants, Oid, PgFunction, Relation, RelationGrants } from '../../catalog/model.ts'
import { permits } from '../../catalog/model.ts'
import { lazy } from '../../std/lazy.ts'
import { type FieldType, fieldType, isFilterable, isOrderable } from './field-type.ts'
import { isCallable, returnsRows, rowOfReturn } from './function-facts.ts'
import { baseName, columnFieldName, functionFieldName, isValidName, lowerFirst, toOneName } from './names.ts'
import type { ColumnField, Entity, MutationField, NodeField, OrderField, QueryField, RoleSchema } from './role-schema.ts'
import { rootFunctions } from './root-functions.ts'
import { takenNames } from './taken-names.ts'

/** What of the catalog shows under these grants, by pg_graphql's rules of exposure and naming. Nothing is decided here that PostgreSQL decides. */
export function reflectSchema(catalog: Catalog, grants: Grants): RoleSchema {
  const usable = catalog.schemas.filter((schema) => grants.schemas.has(schema.name))
  const index = indexOf(catalog)
  const entities = new Map<string, Entity>()
  const rowTypes = new Map<string, Entity>()
  const byRelation = new Map<Oid, Entity>()
  const rowOf = (relation: Relation) => byRelation.get(relation.oid)
  const entityOf = (relation: Relation) => (hasKey(relation) ? rowOf(relation) : undefined)

  const expose = (relation: Relation, name: string): Entity | null => {
    const granted = grants.relations.get(relation.oid)
    if (!granted || !isValidName(name) || entities.has(name) || rowTypes.has(name)) return null
    if (!relation.columns.some((column) => permits(granted.select, column))) return null
    const { inflectNames: inflect } = relation.schema.directives
    const entity = new ReflectedEntity({ catalog, grants, granted, index, entityOf, rowOf, inflect }, relation, name)
    byRelation.set(relation.oid, entity)
    return entity
  }
  for (const schema of usable) {
    for (const relation of index.relations.get(schema.oid) ?? []) {
      const entity = hasKey(relation) ? expose(relation, typeNameOf(relation)) : null
      if (entity) entities.set(entity.name, entity)
    }
  }
  const isTaken = lazy(() => takenNames(catalog, grants))
  for (const [oid, fns] of index.keylessRows) {
    const relation = catalog.relations.get(oid) as Relation
    const name = typeNameOf(relation)
    if (!grants.schemas.has(relation.schema.name) || !fns.some((fn) => isCallable(grants, fn)) || isTaken()(name)) continue
    const entity = expose(relation, name)
    // a type has at least one field, which is not one of the type itself
    if (entity?.columns.length) rowTypes.set(entity.name, entity)
    else byRelation.delete(relation.oid)
  }

  const functions = rootFunctions(catalog, grants, entityOf)
  const mutation = lazy(() => mutationFields(entities, functions))
  return {
    catalog,
    grants,
    introspection: usable.some((schema) => schema.directives.introspection),
    entities,
    rowTypes,
    query: queryFields(entities, functions),
    get mutation() {
      return mutation()
    },
  }
}

type CatalogIndex = {
  readonly relations: ReadonlyMap<Oid, readonly Relation[]>
  readonly keysFrom: ReadonlyMap<Oid, readonly ForeignKey[]>
  readonly keysTo: ReadonlyMap<Oid, readonly ForeignKey[]>
  readonly functionsOfRow: ReadonlyMap<Oid, readonly PgFunction[]>
  /** functions of a row that return one row of a relation without a key, by that relation */
  readonly keylessRows: ReadonlyMap<Oid, readonly PgFunction[]>
}

const hasKey = (relation: Relation): boolean => relation.primaryKey.length > 0

function groupBy<Item>(items: Iterable<Item>, key: (item: Item) => Oid): ReadonlyMap<Oid, readonly Item[]> {
  const groups = new Map<Oid, Item[]>()
  for (const item of items) {
    const group = groups.get(key(item))
    if (group) group.push(item)
    else groups.set(key(item), [item])
  }
  return groups
}

const indexes = new WeakMap<Catalog, CatalogIndex>()

/** Made once for all roles. */
function indexOf(catalog: Catalog): CatalogIndex {
  const index = indexes.get(catalog) ?? indexCatalog(catalog)
  indexes.set(catalog, index)
  return index
}

function indexCatalog(catalog: Catalog): CatalogIndex {
  const ofRow = catalog.functions.filter((fn) => fn.args.length === 1 && fn.args[0]?.type.relation)
  const ofKeylessRow = ofRow.filter((fn) => {
    const row = rowOfReturn(catalog, fn)
    return row && !hasKey(row) && !returnsRows(fn)
  })
  return {
    relations: groupBy(catalog.relations.values(), (relation) => relation.schema.oid),
    keysFrom: groupBy(catalog.foreignKeys, (key) => key.from.oid),
    keysTo: groupBy(catalog.foreignKeys, (key) => key.to.oid),
    functionsOfRow: groupBy(ofRow, (fn) => fn.args[0]?.type.oid as Oid),
    keylessRows: groupBy(ofKeylessRow, (fn) => fn.returns.relation as Oid),
  }
}

const typeNameOf = ({ name, directives, schema }: Relation): string => baseName(name, directives.name, schema.directives.inflectNames)

type EntityScope = {
  readonly catalog: Catalog
  readonly grants: Grants
  readonly granted: RelationGrants
  readonly index: CatalogIndex
  readonly entityOf: (relation: Relation) => Entity | undefined
  /** also of a relation without a key */
  readonly rowOf: (relation: Relation) => Entity | undefined
  /** whether names are made to GraphQL's fashion in the relation's schema */
  readonly inflect: boolean
}

/**
 * Made for every relation at once, and most are never asked about: what costs something is worked out when it is, and the accessors stand
 * on the prototype, where thousands of entities share them.
 */
class ReflectedEntity implements Entity {
  readonly relation: Relation
  readonly name: string
  readonly maxRows: number
  readonly key: readonly Column[]
  readonly addressable: boolean
  readonly mayDelete: boolean
  private readonly scope: EntityScope
  private known: EntityFacts | null = null

  constructor(scope: EntityScope, relation: Relation, name: string) {
    const { granted } = scope
    this.scope = scope
    this.relation = relation
    this.name = name
    this.maxRows = relation.directives.maxRows ?? relation.schema.directives.maxRows
    this.key = relation.primaryKey.filter((column) => permits(granted.select, column))
    this.addressable = hasKey(relation) && this.key.length === relation.primaryKey.length
    this.mayDelete = granted.delete
  }

  private get facts(): EntityFacts {
    this.known ??= entityFacts(this.scope, this.relation)
    return this.known
  }
  // the first such column is enough
  get mayInsert(): boolean {
    return this.relation.columns.some((column) => isWritable(this.scope.granted.insert, column) && typedField(this.scope, column))
  }
  get mayUpdate(): boolean {
    return this.relation.columns.some((column) => isWritable(this.scope.granted.update, column) && typedField(this.scope, column))
  }
  get columns(): readonly ColumnField[] {
    return this.facts.columns()
  }
  get listed(): readonly NodeField[] {
    return this.facts.listed()
  }
  get fields(): ReadonlyMap<string, NodeField> {
    return this.facts.fields()
  }
  get insertable(): ReadonlyMap<string, ColumnField> {
    return this.facts.insertable()
  }
  get updatable(): ReadonlyMap<string, ColumnField> {
    return this.facts.updatable()
  }
  get filters(): ReadonlyMap<string, ColumnField> {
    return this.facts.filters()
  }
  get orders(): ReadonlyMap<string, OrderField> {
    return this.facts.orders()
  }
  get aggregates(): readonly ColumnField[] {
    return this.facts.typed()
  }
}

const isWritable = (grant: ColumnGrant, column: Column): boolean => permits(grant, column) && !column.generated && !column.serial

/** null: the column has no type or no valid name in GraphQL */
function typedField({ catalog, grants, inflect }: EntityScope, column: Column): ColumnField | null {
  const type = fieldType(catalog, grants, column.type)
  const name = columnFieldName(column.name, column.directives.name, inflect)
  return type && isValidName(name) ? { name, column, type } : null
}

type EntityFacts = ReturnType<typeof entityFacts>

function entityFacts(scope: EntityScope, relation: Relation) {
  const { catalog, granted, inflect } = scope
  const typed = lazy(() => relation.columns.flatMap((column) => typedField(scope, column) ?? []))
  const columns = lazy(() => typed().filter(({ column }) => permits(granted.select, column)))
  const writable = (grant: ColumnGrant) => byName(typed().filter(({ column }) => isWritable(grant, column)))
  const orders = () =>
    relation.columns.flatMap((column): OrderField[] => {
      const name = columnFieldName(column.name, column.directives.name, inflect)
      const holdsRow = column.type.relation !== null && catalog.relations.has(column.type.relation)
      return (isOrderable(column.type) || holdsRow) && isValidName(name) && permits(granted.select, column) ? [{ name, column }] : []
    })
  const listed = lazy((): readonly NodeField[] => [
    ...(hasKey(relation) ? [{ name: 'nodeId', kind: 'node id' } as const] : []),
    ...ownFields(scope, relation, columns()),
    ...outgoing(scope, relation),
    ...incoming(scope, relation),
    ...(granted.select === 'all' ? computed(scope, relation) : []),
  ])
  return {
    typed,
    columns,
    listed,
    fields: lazy(() => byName(listed())),
    insertable: lazy(() => writable(granted.insert)),
    updatable: lazy(() => writable(granted.update)),
    filters: lazy(() => byName(columns().filter(({ type }) => isFilterable(type)))),
    orders: lazy(() => byName(orders())),
  }
}

/** Columns in table order. One that holds a row of another entity is a to-one field. */
function ownFields(scope: EntityScope, relation: Relation, typed: readonly ColumnField[]): readonly NodeField[] {
  const byColumn = new Map(typed.map((field) => [field.column, field]))
  return relation.columns.flatMap((column): readonly NodeField[] => {
    const field = byColumn.get(column)
    if (field) return [{ name: field.name, kind: 'column', column: field }]
    const held = column.type.relation === null ? undefined : scope.catalog.relations.get(column.type.relation)
    const entity = held && permits(scope.granted.select, column) ? scope.entityOf(held) : undefined
    const name = columnFieldName(column.name, column.directives.name, relation.schema.directives.inflectNames)
    return entity && isValidName(name) ? [{ name, kind: 'row', column, entity }] : []
  })
}

/** Of several with one name the last stands, in the place of the first. */
const byName = <Named extends { readonly name: string }>(items: readonly Named[]): ReadonlyMap<string, Named> =>
  new Map(items.map((item) => [item.name, item]))

/** Both sides must be readable as a whole, and the other one a type of its own. */
function readableOther(scope: EntityScope, key: ForeignKey, other: Relation): Entity | undefined {
  const from = scope.grants.relations.get(key.from.oid)
  const to = scope.grants.relations.get(key.to.oid)
  const readable =
    from &&
    to &&
    key.fromColumns.every((column) => permits(from.select, column)) &&
    key.toColumns.every((column) => permits(to.select, column))
  return readable ? scope.entityOf(other) : undefined
}

function* outgoing(scope: EntityScope, relation: Relation): Generator<NodeField> {
  for (const key of scope.index.keysFrom.get(relation.oid) ?? []) {
    const entity = readableOther(scope, key, key.to)
    if (!entity) continue
    const byColumn = toOneName(
      key.fromColumns.map((column) => column.name),
      key.to.schema.directives.inflectNames,
    )
    const name = key.directives.foreignName ?? byColumn ?? lowerFirst(entity.name)
    // a row behind row security may be invisible, so such a field can be null whatever the key says
    const nullable = key.to.rowSecurity || !key.fromColumns.some((column) => column.notNull)
    if (isValidName(name)) yield { name, kind: 'to-one', join: { key, own: key.fromColumns, other: key.toColumns }, entity, nullable }
  }
}

function* incoming(scope: EntityScope, relation: Relation): Generator<NodeField> {
  for (const key of scope.index.keysTo.get(relation.oid) ?? []) {
    const entity = readableOther(scope, key, key.from)
    if (!entity) continue
    const join = { key, own: key.toColumns, other: key.fromColumns }
    const unique = key.from.uniqueKeys.some((columns) => columns.length > 0 && columns.every((column) => key.fromColumns.includes(column)))
    if (unique) {
      const byColumn = toOneName(
        key.toColumns.map((column) => column.name),
        key.from.schema.directives.inflectNames,
      )
      const name = key.directives.localName ?? byColumn ?? lowerFirst(entity.name)
      if (isValidName(name)) yield { name, kind: 'to-one', join, entity, nullable: true }
    } else {
      const name = key.directives.localName ?? `${lowerFirst(entity.name)}Collection`
      if (isValidName(name)) yield { name, kind: 'to-many', join, entity }
    }
  }
}

/** Functions of one argument, the row itself. */
function* computed(scope: EntityScope, relation: Relation): Generator<NodeField> {
  const { catalog, grants } = scope
  for (const fn of scope.index.functionsOfRow.get(relation.rowType) ?? []) {
    const name = functionFieldName(fn.name, fn.directives.name, fn.schema.directives.inflectNames)
    if (!isCallable(grants, fn) || !isValidName(name)) continue
    const row = rowOfReturn(catalog, fn)
    if (row) {
      const isMany = returnsRows(fn)
      // pages need an order, which a key gives
      const entity = isMany ? scope.entityOf(row) : scope.rowOf(row)
      if (entity) yield { name, kind: isMany ? 'computed to-many' : 'computed to-one', fn, entity }
    } else if (!fn.returnsSet && fn.returns.kind !== 'pseudo') {
      const type: FieldType | null = fieldType(catalog, grants, fn.returns)
      if (type) yield { name, kind: 'computed', fn, type }
    }
  }
}

const BY_KEY_TYPES = new Set([20, 21, 23, 25, 2950])

/** pg_graphql looks rows up by keys of these types only. */
const isLookupKey = (column: Column): boolean => BY_KEY_TYPES.has(column.type.oid) || column.type.name === 'citext'

type RootFunctions = ReturnType<typeof rootFunctions>

function queryFields(entities: ReadonlyMap<string, Entity>, functions: RootFunctions): ReadonlyMap<string, QueryField> {
  const fields = new Map<string, QueryField>()
  const add = (field: QueryField) => {
    if (!fields.has(field.name)) fields.set(field.name, field)
  }
  for (const entity of entities.values()) {
    add({ name: `${lowerFirst(entity.name)}Collection`, kind: 'collection', entity })
    if (entity.addressable && entity.key.every(isLookupKey)) add({ name: `${lowerFirst(entity.name)}ByPk`, kind: 'by key', entity })
  }
  add({ name: 'node', kind: 'node' })
  for (const [name, fn] of functions) if (fn.fn.volatility !== 'volatile') add({ name, kind: 'function', fn })
  return fields
}

function mutationFields(entities: ReadonlyMap<string, Entity>, functions: RootFunctions): ReadonlyMap<string, MutationField> {
  const fields = new Map<string, MutationField>()
  const add = (field: MutationField) => {
    if (!fields.has(field.name)) fields.set(field.name, field)
  }
  for (const entity of entities.values()) {
    if (entity.mayInsert) add({ name: `insertInto${entity.name}Collection`, kind: 'insert', entity })
    if (entity.mayUpdate) add({ name: `update${entity.name}Collection`, kind: 'update', entity })
    if (entity.mayDelete) add({ name: `deleteFrom${entity.name}Collection`, kind: 'delete', entity })
  }
  for (const [name, fn] of functions) if (fn.fn.volatility === 'volatile') add({ name, kind: 'function', fn })
  return fields
}
