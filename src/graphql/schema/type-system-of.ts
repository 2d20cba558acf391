import type { Schema } from '../../catalog/model.ts'
import { assertNever } from '../../std/assert-never.ts'
import { atOnce, type Steps } from '../../std/in-turns.ts'
import { aggregateColumns } from './aggregate-columns.ts'
import { constantDirectives, constantTypes, EQUALITY_OPERATORS, filterType } from './constant-types.ts'
import { type FieldType, fieldType, typeRef } from './field-type.ts'
import { filterTypeName } from './filter-operators.ts'
import { isValidEnumValue, isValidName } from './names.ts'
import type { Entity, MutationField, NodeField, QueryField, RoleSchema, RootFunction } from './role-schema.ts'
import { isConstantName } from './taken-names.ts'
import {
  type FieldDefinition,
  type InputValueDefinition,
  type IntrospectedTypes,
  list,
  named,
  nonNull,
  type TypeDefinition,
  type TypeRef,
} from './type-system.ts'

const known = new WeakMap<RoleSchema, IntrospectedTypes>()

/** A role's schema as introspection shows it, built at the first question and kept as long as the schema. In steps, an entity each. */
export function* typeSystemOf(schema: RoleSchema): Steps<IntrospectedTypes> {
  const found = known.get(schema)
  if (found) return found
  const types = yield* buildTypeSystem(schema, false)
  known.set(schema, types)
  return types
}

/** All a role can ask for, whether introspection shows it or not: for the owner's eyes. */
export const wholeTypeSystemOf = (schema: RoleSchema): IntrospectedTypes => atOnce(buildTypeSystem(schema, true))

/**
 * Types of schemas that did not opt into introspection exist, but are not listed, and neither are fields of such types. A partitioned
 * table is listed when its own comment asks for that: pg_graphql does not know them, and what it lists is listed here without change.
 */
function* buildTypeSystem(schema: RoleSchema, whole: boolean): Steps<IntrospectedTypes> {
  const isOpen = (owner: Schema) => whole || owner.directives.introspection
  const isListed = ({ name, relation }: Entity) =>
    !isConstantName(name) &&
    isOpen(relation.schema) &&
    (whole || relation.kind !== 'partitioned table' || relation.directives.introspection)
  // a function belongs to its own schema, a collection to its relation's
  const isListedField = (field: QueryField | MutationField) =>
    field.kind === 'function' ? isOpen(field.fn.fn.schema) && !returnsTaken(field.fn) : field.kind === 'node' || isListed(field.entity)
  const shown: TypeDefinition[] = [...constantTypes()]
  const hidden: TypeDefinition[] = []
  const hiddenNames = new Set<string>()
  const add = (listed: boolean, ...types: readonly TypeDefinition[]) => {
    if (listed) shown.push(...types)
    else {
      hidden.push(...types)
      for (const type of types) hiddenNames.add(type.name)
    }
  }
  for (const { owner, usable, types } of enumTypes(schema)) {
    // an enum without USAGE stays the type of its columns, but is not shown itself
    if (usable || whole) add(isOpen(owner), ...types)
    else hidden.push(...types)
  }
  for (const entity of schema.entities.values()) {
    // called like a type that every schema has, it cannot be told to tools, and takes nobody's place
    const types = entityTypes(schema, entity)
    add(isListed(entity), ...(isConstantName(entity.name) ? types.slice(1) : types))
    yield
  }
  for (const entity of schema.rowTypes.values()) add(isListed(entity), nodeType(entity))

  const isShown = (field: FieldDefinition) => !hiddenNames.has(innermost(field.type))
  const visible: TypeDefinition[] = []
  for (const type of shown) {
    visible.push(type.kind === 'object' ? { ...type, fields: type.fields.filter(isShown) } : type)
    yield
  }
  const roots = [
    objectType(
      'Query',
      'The root type for querying data',
      sorted([...schema.query.values()].filter(isListedField).map(queryField)).filter(isShown),
    ),
    ...(schema.mutation.size > 0
      ? [
          objectType(
            'Mutation',
            'The root type for creating and mutating data',
            sorted([...schema.mutation.values()].filter(isListedField).map(mutationField)).filter(isShown),
          ),
        ]
      : []),
    {
      kind: 'interface',
      name: 'Node',
      description: null,
      fields: [{ name: 'nodeId', description: 'Retrieves a record by `ID`', args: [], type: nonNull(named('ID')) }],
      possibleTypes: implementers(schema, isListed),
    } as const,
  ]
  return {
    types: byName([...visible, ...roots]),
    unlisted: byName(hidden),
    query: 'Query',
    mutation: schema.mutation.size > 0 ? 'Mutation' : null,
    directives: constantDirectives(),
  }
}

/** All that can be asked for by nodeId, listed themselves or not, as pg_graphql has it; partitioned tables only where they are listed. */
const implementers = (schema: RoleSchema, isListed: (entity: Entity) => boolean): readonly string[] =>
  [...schema.entities.values()]
    .filter((entity) => !isConstantName(entity.name) && (entity.relation.kind !== 'partitioned table' || isListed(entity)))
    .map((entity) => entity.name)
    .sort(bytewise)

const bytewise = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const sorted = (fields: readonly FieldDefinition[]): readonly FieldDefinition[] => [...fields].sort((a, b) => bytewise(a.name, b.name))

const byName = (types: readonly TypeDefinition[]): ReadonlyMap<string, TypeDefinition> =>
  new Map([...types].sort((a, b) => bytewise(a.name, b.name)).map((type) => [type.name, type]))

const innermost = (type: TypeRef): string => (type.kind === 'named' ? type.name : innermost(type.of))

const objectType = (
  name: string,
  description: string | null,
  fields: readonly FieldDefinition[],
  interfaces: readonly string[] = [],
): TypeDefinition => ({
  kind: 'object',
  name,
  description,
  fields,
  interfaces,
})
const inputType = (name: string, fields: readonly InputValueDefinition[]): TypeDefinition => ({
  kind: 'input object',
  name,
  description: null,
  fields,
})
const field = (
  name: string,
  type: TypeRef,
  description: string | null = null,
  args: readonly InputValueDefinition[] = [],
): FieldDefinition => ({
  name,
  description,
  args,
  type,
})
const input = (
  name: string,
  type: TypeRef,
  description: string | null = null,
  defaultValue: string | null = null,
): InputValueDefinition => ({
  name,
  description,
  type,
  defaultValue,
})

/** Enums of the search path, in use or not. */
function* enumTypes(
  schema: RoleSchema,
): Generator<{ readonly owner: Schema; readonly usable: boolean; readonly types: readonly TypeDefinition[] }> {
  const { catalog, grants } = schema
  for (const pg of catalog.types.values()) {
    const owner = catalog.schemas.find((candidate) => candidate.name === pg.schema)
    if (pg.kind !== 'enum' || !owner || !grants.schemas.has(owner.name)) continue
    const type = fieldType(catalog, grants, pg)
    if (type?.kind !== 'enum' || !isValidName(type.name)) continue
    // a label that is no name is read and written as it is; listed, it would keep every tool from reading the schema
    const names = new Set(type.values.map(({ name }) => name).filter(isValidEnumValue))
    const values = [...names].map((name) => ({ name, description: null }))
    const types: readonly TypeDefinition[] = [
      { kind: 'enum', name: type.name, description: null, values },
      filterType(type.name, EQUALITY_OPERATORS),
    ]
    yield { owner, usable: !grants.closedTypes.has(pg.oid), types }
  }
}

const returnsTaken = ({ returns }: RootFunction): boolean => returns.kind !== 'value' && isConstantName(returns.entity.name)

const nodeType = ({ name, relation, listed }: Entity): TypeDefinition =>
  objectType(
    name,
    relation.directives.description,
    listed.filter((of) => !('entity' in of && isConstantName(of.entity.name))).map(nodeField),
    relation.primaryKey.length > 0 ? ['Node'] : [],
  )

function entityTypes(schema: RoleSchema, entity: Entity): readonly TypeDefinition[] {
  const { name, relation } = entity
  const directives = relation.directives
  return [
    nodeType(entity),
    objectType(`${name}Connection`, null, [
      field('edges', nonNull(list(nonNull(named(`${name}Edge`))))),
      field('pageInfo', nonNull(named('PageInfo'))),
      ...(directives.totalCount
        ? [field('totalCount', nonNull(named('Int')), 'The total number of records matching the `filter` criteria')]
        : []),
      ...(directives.aggregate
        ? [field('aggregate', named(`${name}Aggregate`), `Aggregate functions calculated on the collection of \`${name}\``)]
        : []),
    ]),
    objectType(`${name}Edge`, null, [field('cursor', nonNull(named('String'))), field('node', nonNull(named(name)))]),
    filterInput(entity),
    inputType(
      `${name}OrderBy`,
      [...entity.orders.keys()].map((column) => input(column, named('OrderByDirection'))),
    ),
    ...(directives.aggregate ? aggregateTypes(entity) : []),
    ...mutationTypes(schema, entity),
  ]
}

function filterInput(entity: Entity): TypeDefinition {
  const type = `${entity.name}Filter`
  const columns = [...entity.filters.values()].filter((column) => column.name !== 'nodeId')
  const connectives = [
    input('and', list(nonNull(named(type))), 'Returns true only if all its inner filters are true, otherwise returns false'),
    input('or', list(nonNull(named(type))), 'Returns true if at least one of its inner filters is true, otherwise returns false'),
    input('not', named(type), 'Negates a filter'),
  ]
  return inputType(type, [
    ...columns.map((column) => input(column.name, named(filterTypeName(column.type)))),
    input('nodeId', named('IDFilter')),
    ...connectives.filter(({ name }) => !entity.filters.has(name)),
  ])
}

const AGGREGATES = [
  ['sum', 'Sum', 'Summation', 'summation', 'Sum', 'numeric'],
  ['avg', 'Avg', 'Average', 'average', 'Average', 'numeric'],
  ['min', 'Min', 'Minimum', 'minimum', 'Minimum', 'comparable'],
  ['max', 'Max', 'Maximum', 'maximum', 'Maximum', 'comparable'],
] as const

function aggregateTypes(entity: Entity): readonly TypeDefinition[] {
  const { name } = entity
  const offered = AGGREGATES.filter(([fn]) => aggregateColumns(entity, fn).length > 0)
  return [
    objectType(`${name}Aggregate`, `Aggregate results for \`${name}\``, [
      field('count', nonNull(named('Int')), 'The number of records matching the query'),
      ...offered.map(([fn, title, word, , , kind]) =>
        field(fn, named(`${name}${title}AggregateResult`), `${word} aggregates for ${kind} fields`),
      ),
    ]),
    ...offered.map(([fn, title, , noun, word]) =>
      objectType(
        `${name}${title}AggregateResult`,
        `Result of ${noun} aggregation for \`${name}\``,
        aggregateColumns(entity, fn).map((column) =>
          field(column.name, named(aggregateTypeName(fn, column.type)), `${word} of ${column.name} across all matching records`),
        ),
      ),
    ),
  ]
}

/** Sums of integers are BigInt, other sums and all averages BigFloat; minimum and maximum keep the type, but for floats. */
function aggregateTypeName(fn: 'sum' | 'avg' | 'min' | 'max', type: FieldType): string {
  const name = type.kind === 'scalar' ? type.name : 'Opaque'
  if (fn === 'avg') return 'BigFloat'
  if (fn === 'sum') return name === 'Int' || name === 'BigInt' ? 'BigInt' : 'BigFloat'
  if (type.pg.sql === 'time with time zone') return 'Time'
  if (type.pg.sql === 'name') return 'String'
  return name === 'Float' ? 'BigFloat' : name
}

function mutationTypes(schema: RoleSchema, entity: Entity): readonly TypeDefinition[] {
  const { name } = entity
  const has = (mutation: string) => schema.mutation.has(mutation)
  const response = (kind: string) =>
    objectType(`${name}${kind}Response`, null, [
      field('affectedCount', nonNull(named('Int')), 'Count of the records impacted by the mutation'),
      field('records', nonNull(list(nonNull(named(name)))), 'Array of records impacted by the mutation'),
    ])
  const columns = (of: Entity['insertable']) => [...of.values()].map((column) => input(column.name, typeRef(column.type)))
  return [
    ...(has(`insertInto${name}Collection`) ? [inputType(`${name}InsertInput`, columns(entity.insertable)), response('Insert')] : []),
    ...(has(`update${name}Collection`) ? [inputType(`${name}UpdateInput`, columns(entity.updatable)), response('Update')] : []),
    ...(has(`deleteFrom${name}Collection`) ? [response('Delete')] : []),
  ]
}

function nodeField(of: NodeField): FieldDefinition {
  switch (of.kind) {
    case 'node id':
      return field(of.name, nonNull(named('ID')), 'Globally Unique Record Identifier')
    case 'column': {
      const { column, type } = of.column
      return field(of.name, column.notNull ? nonNull(typeRef(type)) : typeRef(type), column.directives.description)
    }
    case 'to-one':
      return field(of.name, of.nullable ? named(of.entity.name) : nonNull(named(of.entity.name)))
    case 'to-many':
      return field(of.name, named(`${of.entity.name}Connection`), null, connectionArguments(of.entity))
    case 'row':
      return field(of.name, named(of.entity.name), of.column.directives.description)
    case 'computed':
      return field(of.name, typeRef(of.type), of.fn.directives.description)
    case 'computed to-one':
      return field(of.name, named(of.entity.name), of.fn.directives.description)
    case 'computed to-many':
      return field(of.name, named(`${of.entity.name}Connection`), of.fn.directives.description, connectionArguments(of.entity))
    default:
      return assertNever(of)
  }
}

const connectionArguments = (entity: Entity): readonly InputValueDefinition[] => [
  input('first', named('Int'), 'Query the first `n` records in the collection'),
  input('last', named('Int'), 'Query the last `n` records in the collection'),
  input('before', named('Cursor'), 'Query values in the collection before the provided cursor'),
  input('after', named('Cursor'), 'Query values in the collection after the provided cursor'),
  input(
    'offset',
    named('Int'),
    'Skip n values from the after cursor. Alternative to cursor pagination. Backward pagination not supported.',
  ),
  input('filter', named(`${entity.name}Filter`), 'Filters to apply to the results set when querying from the collection'),
  input('orderBy', list(nonNull(named(`${entity.name}OrderBy`))), 'Sort order to apply to the collection'),
]

function queryField(of: QueryField): FieldDefinition {
  switch (of.kind) {
    case 'collection':
      return field(
        of.name,
        nonNull(named(`${of.entity.name}Connection`)),
        `A pagable collection of type \`${of.entity.name}\``,
        connectionArguments(of.entity),
      )
    case 'by key':
      return field(
        of.name,
        named(of.entity.name),
        `Retrieve a record of type \`${of.entity.name}\` by its primary key`,
        keyArguments(of.entity),
      )
    case 'node':
      return field('node', named('Node'), 'Retrieve a record by its `ID`', [input('nodeId', nonNull(named('ID')), "The record's `ID`")])
    case 'function':
      return functionField(of.name, of.fn)
    default:
      return assertNever(of)
  }
}

const keyArguments = (entity: Entity): readonly InputValueDefinition[] =>
  entity.key.flatMap((column) => {
    const of = entity.columns.find((candidate) => candidate.column === column)
    return of ? [input(of.name, nonNull(typeRef(of.type)), `The record's \`${column.name}\` value`)] : []
  })

function functionField(name: string, { fn, args, returns }: RootFunction): FieldDefinition {
  const own = args.map((arg) => input(arg.name, arg.optional ? typeRef(arg.type) : nonNull(typeRef(arg.type)), null, arg.defaultValue))
  const description = fn.directives.description
  switch (returns.kind) {
    case 'value':
      return field(name, typeRef(returns.type), description, own)
    case 'node':
      return field(name, named(returns.entity.name), description, own)
    case 'collection':
      return field(name, named(`${returns.entity.name}Connection`), description, [...own, ...connectionArguments(returns.entity)])
    default:
      return assertNever(returns)
  }
}

function mutationField(of: MutationField): FieldDefinition {
  if (of.kind === 'function') return functionField(of.name, of.fn)
  const { name } = of.entity
  const atMost = input('atMost', nonNull(named('Int')), 'The maximum number of records in the collection permitted to be affected', '1')
  const filter = input('filter', named(`${name}Filter`), "Restricts the mutation's impact to records matching the criteria")
  switch (of.kind) {
    case 'insert':
      return field(of.name, named(`${name}InsertResponse`), `Adds one or more \`${name}\` records to the collection`, [
        input('objects', nonNull(list(nonNull(named(`${name}InsertInput`))))),
      ])
    case 'update':
      return field(of.name, nonNull(named(`${name}UpdateResponse`)), `Updates zero or more records in the \`${name}\` collection`, [
        input('set', nonNull(named(`${name}UpdateInput`)), 'Fields that are set will be updated for all records matching the `filter`'),
        filter,
        atMost,
      ])
    case 'delete':
      return field(of.name, nonNull(named(`${name}DeleteResponse`)), `Deletes zero or more records from the \`${name}\` collection`, [
        filter,
        atMost,
      ])
    default:
      return assertNever(of)
  }
}
