import type { Relation } from '../catalog/model.ts'
import type { GraphqlLimits } from './operation/limits.ts'
import { GraphqlError } from './operation/operation.ts'

/**
 * Every message of the GraphQL face that is ours. The words are pg_graphql 1.6's wherever it has words for the case, since
 * applications compare with them. `data: 'absent'` where it answers without the data key.
 */

export type Place = { readonly line: number; readonly column: number } | null

// reading a document

/** Only the prefix and the shape are pg_graphql's; after it come our parser's words. */
export const parseError = (place: { readonly line: number; readonly column: number }, words: string) =>
  new GraphqlError(`query parse error: Parse error at ${place.line}:${place.column}\n${words}\n`, 'absent', place)

export const limitExceeded = (limit: keyof GraphqlLimits, most: number, of: string, place: Place = null) =>
  new GraphqlError(`The document has more than ${most} ${of} (limit ${limit})`, 'absent', place)

/** The words of graphql-js; pg_graphql leaves the condition out. */
export const variableMissing = (name: string, type: string) =>
  new GraphqlError(`Variable "$${name}" of required type "${type}" was not provided.`)
export const variablesNotAnObject = () => new GraphqlError('variables must be an object', 'absent')
export const anonymousNotAlone = (place: Place) =>
  new GraphqlError('Anonymous operations must be the only defined operation', 'absent', place)
export const operationNamesNotUnique = (place: Place) => new GraphqlError('Operation names must be unique', 'absent', place)
export const operationNotFound = () => new GraphqlError('Operation not found', 'absent')
export const subscriptionsNotSupported = (place: Place) => new GraphqlError('Subscriptions are not supported', 'absent', place)
export const fragmentCycle = (place: Place) => new GraphqlError('Found a cycle between fragments', 'absent', place)
export const fragmentsTooDeep = (place: Place) => new GraphqlError('Fragment cycle depth is greater than 50', 'absent', place)

/**
 * PostgreSQL's words where a role may not read the whole key. Of a table it would say so itself, of rows that a function returns it would not: those have no rights
 * by column.
 */
export const keyNotGranted = ({ kind, name }: Relation) =>
  new GraphqlError(`permission denied for ${kind === 'partitioned table' ? 'table' : kind} ${name}`, 'null')

// selections

/** A mutation answers `data: null` here, a query leaves data out. */
export const nothingSelected = (kind: 'query' | 'mutation') =>
  new GraphqlError('Selection set must not be empty', kind === 'query' ? 'absent' : 'null')
export const noSuchFragment = (fragment: string, type: string, place: Place) =>
  new GraphqlError(`no fragment named ${fragment} on type ${type}`, 'null', place)
export const differentFields = (later: string, earlier: string, place: Place) =>
  new GraphqlError(`Fields \`${later}\` and \`${earlier}\` are different`, 'null', place)
export const differentArguments = (field: string, place: Place) =>
  new GraphqlError(`Two fields named \`${field}\` have different arguments`, 'null', place)
export const unknownDirective = (name: string, place: Place) => new GraphqlError(`Unknown directive ${name}`, 'null', place)
export const directiveArguments = (name: string, place: Place) =>
  new GraphqlError(`Incorrect arguments to directive @${name}`, 'null', place)
export const unknownDirectiveArgument = (name: string, argument: string, place: Place) =>
  new GraphqlError(`Unknown argument to @${name}: ${argument}`, 'null', place)
export const directiveConditionRequired = (name: string, place: Place) =>
  new GraphqlError(`Value for "if" in @${name} directive is required`, 'null', place)

// values

/** PostgreSQL's own words for it (manual 8.3: text cannot hold the character). */
export const nullCharacter = () => new GraphqlError('invalid byte sequence for encoding "UTF8": 0x00', 'null')
export const loneSurrogate = () => new GraphqlError('invalid Unicode text: a surrogate stands without its other half', 'null')

// planning: fields

const failed = (message: string, place: Place = null) => new GraphqlError(message, 'null', place)

export const unknownRootField = (name: string, type: 'Query' | 'Mutation', place: Place) =>
  failed(`Unknown field "${name}" on type ${type}`, place)
export const unknownMutationType = () => failed('Unknown type Mutation')
export const unknownNodeField = (name: string, type: string, place: Place) => failed(`Unknown field '${name}' on type '${type}'`, place)
export const unknownRecordField = (name: string, type: string, place: Place) => failed(`Unknown field "${name}" on type ${type}`, place)
export const unknownConnectionField = (place: Place) => failed('unknown field in connection', place)
export const unknownEdgeField = (place: Place) => failed('unknown field in edge', place)
export const unknownPageInfoField = (place: Place) => failed('unknown field in pageInfo', place)
export const aggregateNotEnabled = (place: Place) => failed('enable the aggregate directive to use aggregates', place)
export const unknownAggregateField = (name: string, type: string, place: Place) =>
  failed(`Unknown field "${name}" selected on type "${type}"`, place)
export const unknownAggregateColumn = (name: string, type: string, place: Place) =>
  failed(`Unknown or invalid field "${name}" selected on type "${type}"`, place)
export const unknownMutationResultField = (kind: 'insert' | 'update' | 'delete', place: Place) => failed(`unknown field in ${kind}`, place)
export const selectionRequired = (name: string, type: string, place: Place) =>
  failed(`Field "${name}" of type "${type}" must have a selection of subfields`, place)

// planning: arguments

export const extraArguments = (names: readonly string[], place: Place) => failed(`Input contains extra keys ${rustStrings(names)}`, place)
export const extraInputKeys = (type: string, names: readonly string[]) =>
  failed(`Input for type ${type} contains extra keys ${rustStrings(names)}`)
export const invalidInput = (type: string) => failed(`Invalid input for ${type} type`)
export const invalidBigFloat = () => failed('Invalid input for BigFloat type. String required')
export const tooLong = (most: number) => failed(`Invalid input for String type. Maximum character length ${most}`)
export const invalidIsFilter = () => failed('Error transpiling Is filter value type')
export const unexpectedInArray = (kind: 'array' | 'object') => failed(`Unexpected ${kind} in input value array`)
export const unexpectedObject = () => failed('Unexpected object in input value')
export const absentValue = () =>
  failed('Encountered `Absent` value while transforming between GraphQL intermediate object notation and JSON')
export const notUnsigned = (argument: string) => failed(`\`${argument}\` must be an unsigned integer`)
export const onlyOneOf = (a: string, b: string) => failed(`only one of "${a}" and "${b}" may be provided`)
export const onlyWith = (argument: string, others: string) => failed(`"${argument}" may only be used with ${others}`)
export const badCursor = (step: 1 | 2 | 3 | 4) => failed(`Failed to decode cursor, error ${step}`)
export const cursorTooLong = () => failed('orderBy clause incompatible with pagination cursor')
export const badNodeId = (step: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 10) =>
  failed(`Invalid value passed to nodeId argument${step === 1 ? ',' : '.'} Error ${step}`)
export const unknownCollectionOfNodeId = () => failed('Collection referenced by nodeId did not match any known collection')
export const nodeIdOfOtherCollection = () => failed('nodeId belongs to a different collection')
export const keyCountMismatch = (expected: number, provided: number) =>
  failed(`Primary key column count mismatch. Expected ${expected}, provided ${provided}`)
export const missingKeyColumns = (columns: readonly string[]) => failed(`Missing primary key column(s): ${columns.join(', ')}`)
export const noObjects = () => failed('At least one record must be provided to objects')
export const noMapping = () => failed('At least one mapping must be provided to set argument')
export const tooManyImpacted = (kind: 'update' | 'delete') => failed(`${kind} impacts too many records`)
export const planLimitExceeded = (limit: keyof GraphqlLimits, most: number, of: string) =>
  failed(`The request has more than ${most} ${of} (limit ${limit})`)

/** pg_graphql prints lists of names as Rust does. */
const rustStrings = (names: readonly string[]) => `[${names.map((name) => JSON.stringify(name)).join(', ')}]`

// introspection: each message has its own form, as in pg_graphql

export const unknownSchemaField = (field: string, place: Place) => new GraphqlError(`unknown field in __Schema: ${field}`, 'null', place)
export const unknownTypeField = (field: string, place: Place) => new GraphqlError(`unknown field on __Type: ${field}`, 'null', place)
export const unknownFieldField = (field: string, place: Place) => new GraphqlError(`unknown field in __Field ${field}`, 'null', place)
export const unknownInputValueField = (field: string, place: Place) =>
  new GraphqlError(`unknown field in __InputValue: ${field}`, 'null', place)
export const unknownEnumValueField = (field: string, place: Place) =>
  new GraphqlError(`unknown field in __EnumValue: ${field}`, 'null', place)
export const unknownDirectiveField = (field: string, place: Place) =>
  new GraphqlError(`unknown field ${field} in __Directive`, 'null', place)
export const noSpecifiedByUrl = (place: Place) => new GraphqlError('unexpected field specifiedByURL type on __Type', 'null', place)
export const typeNameMissing = (place: Place) => new GraphqlError('Internal Error: failed to parse validated name', 'null', place)
export const typeNameNotText = (place: Place) => new GraphqlError('no name found for __type', 'null', place)
export const introspectionLimitExceeded = (limit: keyof GraphqlLimits, most: number, of: string, place: Place) =>
  new GraphqlError(`The introspection has more than ${most} ${of} (limit ${limit})`, 'null', place)
