import { GraphqlError } from './operation/operation.js';
// reading a document
/** Only the prefix and the shape are pg_graphql's; after it come our parser's words. */
export const parseError = (place, words) => new GraphqlError(`query parse error: Parse error at ${place.line}:${place.column}\n${words}\n`, 'absent', place);
export const limitExceeded = (limit, most, of, place = null) => new GraphqlError(`The document has more than ${most} ${of} (limit ${limit})`, 'absent', place);
export const variablesNotAnObject = () => new GraphqlError('variables must be an object', 'absent');
export const anonymousNotAlone = (place) => new GraphqlError('Anonymous operations must be the only defined operation', 'absent', place);
export const operationNamesNotUnique = (place) => new GraphqlError('Operation names must be unique', 'absent', place);
export const operationNotFound = () => new GraphqlError('Operation not found', 'absent');
export const subscriptionsNotSupported = (place) => new GraphqlError('Subscriptions are not supported', 'absent', place);
export const fragmentCycle = (place) => new GraphqlError('Found a cycle between fragments', 'absent', place);
export const fragmentsTooDeep = (place) => new GraphqlError('Fragment cycle depth is greater than 50', 'absent', place);
// selections
/** A mutation answers `data: null` here, a query leaves data out. */
export const nothingSelected = (kind) => new GraphqlError('Selection set must not be empty', kind === 'query' ? 'absent' : 'null');
export const noSuchFragment = (fragment, type, place) => new GraphqlError(`no fragment named ${fragment} on type ${type}`, 'null', place);
export const differentFields = (later, earlier, place) => new GraphqlError(`Fields \`${later}\` and \`${earlier}\` are different`, 'null', place);
export const differentArguments = (field, place) => new GraphqlError(`Two fields named \`${field}\` have different arguments`, 'null', place);
export const unknownDirective = (name, place) => new GraphqlError(`Unknown directive ${name}`, 'null', place);
export const directiveArguments = (name, place) => new GraphqlError(`Incorrect arguments to directive @${name}`, 'null', place);
export const unknownDirectiveArgument = (name, argument, place) => new GraphqlError(`Unknown argument to @${name}: ${argument}`, 'null', place);
export const directiveConditionRequired = (name, place) => new GraphqlError(`Value for "if" in @${name} directive is required`, 'null', place);
// values
/** PostgreSQL's own words for it (manual 8.3: text cannot hold the character). */
export const nullCharacter = () => new GraphqlError('invalid byte sequence for encoding "UTF8": 0x00', 'null');
export const loneSurrogate = () => new GraphqlError('invalid Unicode text: a surrogate stands without its other half', 'null');
// planning: fields
const failed = (message, place = null) => new GraphqlError(message, 'null', place);
export const unknownRootField = (name, type, place) => failed(`Unknown field "${name}" on type ${type}`, place);
export const unknownMutationType = () => failed('Unknown type Mutation');
export const unknownNodeField = (name, type, place) => failed(`Unknown field '${name}' on type '${type}'`, place);
export const unknownRecordField = (name, type, place) => failed(`Unknown field "${name}" on type ${type}`, place);
export const unknownConnectionField = (place) => failed('unknown field in connection', place);
export const unknownEdgeField = (place) => failed('unknown field in edge', place);
export const unknownPageInfoField = (place) => failed('unknown field in pageInfo', place);
export const aggregateNotEnabled = (place) => failed('enable the aggregate directive to use aggregates', place);
export const unknownAggregateField = (name, type, place) => failed(`Unknown field "${name}" selected on type "${type}"`, place);
export const unknownAggregateColumn = (name, type, place) => failed(`Unknown or invalid field "${name}" selected on type "${type}"`, place);
export const unknownMutationResultField = (kind, place) => failed(`unknown field in ${kind}`, place);
export const selectionRequired = (name, type, place) => failed(`Field "${name}" of type "${type}" must have a selection of subfields`, place);
// planning: arguments
export const extraArguments = (names, place) => failed(`Input contains extra keys ${rustStrings(names)}`, place);
export const extraInputKeys = (type, names) => failed(`Input for type ${type} contains extra keys ${rustStrings(names)}`);
export const invalidInput = (type) => failed(`Invalid input for ${type} type`);
export const invalidBigFloat = () => failed('Invalid input for BigFloat type. String required');
export const tooLong = (most) => failed(`Invalid input for String type. Maximum character length ${most}`);
export const invalidIsFilter = () => failed('Error transpiling Is filter value type');
export const unexpectedInArray = (kind) => failed(`Unexpected ${kind} in input value array`);
export const unexpectedObject = () => failed('Unexpected object in input value');
export const absentValue = () => failed('Encountered `Absent` value while transforming between GraphQL intermediate object notation and JSON');
export const notUnsigned = (argument) => failed(`\`${argument}\` must be an unsigned integer`);
export const onlyOneOf = (a, b) => failed(`only one of "${a}" and "${b}" may be provided`);
export const onlyWith = (argument, others) => failed(`"${argument}" may only be used with ${others}`);
export const badCursor = (step) => failed(`Failed to decode cursor, error ${step}`);
export const cursorTooLong = () => failed('orderBy clause incompatible with pagination cursor');
export const badNodeId = (step) => failed(`Invalid value passed to nodeId argument${step === 1 ? ',' : '.'} Error ${step}`);
export const unknownCollectionOfNodeId = () => failed('Collection referenced by nodeId did not match any known collection');
export const nodeIdOfOtherCollection = () => failed('nodeId belongs to a different collection');
export const keyCountMismatch = (expected, provided) => failed(`Primary key column count mismatch. Expected ${expected}, provided ${provided}`);
export const missingKeyColumns = (columns) => failed(`Missing primary key column(s): ${columns.join(', ')}`);
export const noObjects = () => failed('At least one record must be provided to objects');
export const noMapping = () => failed('At least one mapping must be provided to set argument');
export const planLimitExceeded = (limit, most, of) => failed(`The request has more than ${most} ${of} (limit ${limit})`);
/** pg_graphql prints lists of names as Rust does. */
const rustStrings = (names) => `[${names.map((name) => JSON.stringify(name)).join(', ')}]`;
// introspection: each message has its own form, as in pg_graphql
export const unknownSchemaField = (field, place) => new GraphqlError(`unknown field in __Schema: ${field}`, 'null', place);
export const unknownTypeField = (field, place) => new GraphqlError(`unknown field on __Type: ${field}`, 'null', place);
export const unknownFieldField = (field, place) => new GraphqlError(`unknown field in __Field ${field}`, 'null', place);
export const unknownInputValueField = (field, place) => new GraphqlError(`unknown field in __InputValue: ${field}`, 'null', place);
export const unknownEnumValueField = (field, place) => new GraphqlError(`unknown field in __EnumValue: ${field}`, 'null', place);
export const unknownDirectiveField = (field, place) => new GraphqlError(`unknown field ${field} in __Directive`, 'null', place);
export const noSpecifiedByUrl = (place) => new GraphqlError('unexpected field specifiedByURL type on __Type', 'null', place);
export const typeNameMissing = (place) => new GraphqlError('Internal Error: failed to parse validated name', 'null', place);
export const typeNameNotText = (place) => new GraphqlError('no name found for __type', 'null', place);
export const introspectionLimitExceeded = (limit, most, of, place) => new GraphqlError(`The introspection has more than ${most} ${of} (limit ${limit})`, 'null', place);
