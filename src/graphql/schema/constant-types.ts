import { metaTypes } from './meta-types.ts'
import {
  type DirectiveDefinition,
  type InputValueDefinition,
  list,
  named,
  nonNull,
  type TypeDefinition,
  type TypeRef,
} from './type-system.ts'

/**
 * The types every schema has, whatever the tables: scalars, their filters, ordering, PageInfo, and the meta types.
 * Node, Query and Mutation depend on the tables. Order and descriptions are pg_graphql's.
 */
export function constantTypes(): readonly TypeDefinition[] {
  return [
    ...SCALARS.map(([name, description]): TypeDefinition => ({ kind: 'scalar', name, description })),
    { kind: 'enum', name: 'FilterIs', description: null, values: ['NULL', 'NOT_NULL'].map((name) => ({ name, description: null })) },
    {
      kind: 'enum',
      name: 'OrderByDirection',
      description: 'Defines a per-field sorting order',
      values: [
        { name: 'AscNullsFirst', description: 'Ascending order, nulls first' },
        { name: 'AscNullsLast', description: 'Ascending order, nulls last' },
        { name: 'DescNullsFirst', description: 'Descending order, nulls first' },
        { name: 'DescNullsLast', description: 'Descending order, nulls last' },
      ],
    },
    ...SCALAR_FILTERS.map(([scalar, operators]) => filterType(scalar, operators)),
    ...LIST_FILTERS.map((scalar) => listFilterType(scalar)),
    {
      kind: 'object',
      name: 'PageInfo',
      description: null,
      interfaces: [],
      fields: [
        { name: 'endCursor', description: null, args: [], type: named('String') },
        { name: 'hasNextPage', description: null, args: [], type: nonNull(named('Boolean')) },
        { name: 'hasPreviousPage', description: null, args: [], type: nonNull(named('Boolean')) },
        { name: 'startCursor', description: null, args: [], type: named('String') },
      ],
    },
    ...metaTypes(),
  ]
}

/** `include`, then `skip`. */
export const constantDirectives = (): readonly DirectiveDefinition[] => [
  directive('include', 'This field or fragment will be included only when the `if` argument is true.', 'Included when true'),
  directive('skip', 'This field or fragment will be skipped when the `if` argument is true.', 'Skipped when true'),
]

/** The filter of a scalar or an enum: `IntFilter` for `Int`. `operators` in the order in which they are listed. */
export const filterType = (type: string, operators: readonly FilterOperator[]): TypeDefinition => ({
  kind: 'input object',
  name: `${type}Filter`,
  description: `Boolean expression comparing fields on type "${type}"`,
  fields: operators.map((operator) => input(operator, operandType(type, operator))),
})

export const EQUALITY_OPERATORS = ['eq', 'in', 'is', 'neq'] as const satisfies readonly FilterOperator[]

type FilterOperator = 'eq' | 'gt' | 'gte' | 'ilike' | 'in' | 'iregex' | 'is' | 'like' | 'lt' | 'lte' | 'neq' | 'regex' | 'startsWith'

function operandType(type: string, operator: FilterOperator): TypeRef {
  if (operator === 'is') return named('FilterIs')
  return operator === 'in' ? list(nonNull(named(type))) : named(type)
}

const listFilterType = (scalar: string): TypeDefinition => {
  const operand = list(nonNull(named(scalar)))
  return {
    kind: 'input object',
    name: `${scalar}ListFilter`,
    description: `Boolean expression comparing fields on type "${scalar}List"`,
    fields: [
      input('containedBy', operand),
      input('contains', operand),
      input('eq', operand),
      input('is', named('FilterIs')),
      input('overlaps', operand),
    ],
  }
}

const input = (name: string, type: TypeRef): InputValueDefinition => ({ name, description: null, type, defaultValue: null })

const directive = (name: string, description: string, condition: string): DirectiveDefinition => ({
  name,
  description,
  locations: ['FIELD', 'FRAGMENT_SPREAD', 'INLINE_FRAGMENT'],
  args: [{ name: 'if', description: condition, type: nonNull(named('Boolean')), defaultValue: null }],
})

const SCALARS = [
  ['ID', 'A globally unique identifier for a given record'],
  ['Int', 'A scalar integer up to 32 bits'],
  ['Float', 'A scalar floating point value up to 32 bits'],
  ['String', 'A string'],
  ['Boolean', 'A value that is true or false'],
  ['BigInt', 'An arbitrary size integer represented as a string'],
  ['Date', 'A date without time information'],
  ['Time', 'A time without date information'],
  ['Datetime', 'A date and time'],
  ['UUID', 'A universally unique identifier'],
  ['JSON', 'A Javascript Object Notation value serialized as a string'],
  ['Cursor', 'An opaque string using for tracking a position in results during pagination'],
  ['BigFloat', 'A high precision floating point value represented as a string'],
  ['Opaque', 'Any type not handled by the type system'],
] as const

const ORDERED = ['eq', 'gt', 'gte', 'in', 'is', 'lt', 'lte', 'neq'] as const

const SCALAR_FILTERS: readonly (readonly [scalar: string, operators: readonly FilterOperator[]])[] = [
  ['ID', ['eq']],
  ['Int', ORDERED],
  ['Float', ORDERED],
  ['String', ['eq', 'gt', 'gte', 'ilike', 'in', 'iregex', 'is', 'like', 'lt', 'lte', 'neq', 'regex', 'startsWith']],
  ['Boolean', ['eq', 'is']],
  ['Date', ORDERED],
  ['Time', ORDERED],
  ['Datetime', ORDERED],
  ['BigInt', ORDERED],
  ['UUID', EQUALITY_OPERATORS],
  ['BigFloat', ORDERED],
  ['Opaque', ['eq', 'is']],
]

const LIST_FILTERS = ['Int', 'Float', 'String', 'Boolean', 'Date', 'Time', 'Datetime', 'BigInt', 'UUID', 'BigFloat'] as const
