import type { GraphqlLimits } from './operation/limits.ts';
import { GraphqlError } from './operation/operation.ts';
/**
 * Every message of the GraphQL face that is ours. The words are pg_graphql 1.6's wherever it has words for the case, since
 * applications compare with them. `data: 'absent'` where it answers without the data key.
 */
export type Place = {
    readonly line: number;
    readonly column: number;
} | null;
/** Only the prefix and the shape are pg_graphql's; after it come our parser's words. */
export declare const parseError: (place: {
    readonly line: number;
    readonly column: number;
}, words: string) => GraphqlError;
export declare const limitExceeded: (limit: keyof GraphqlLimits, most: number, of: string, place?: Place) => GraphqlError;
export declare const variablesNotAnObject: () => GraphqlError;
export declare const anonymousNotAlone: (place: Place) => GraphqlError;
export declare const operationNamesNotUnique: (place: Place) => GraphqlError;
export declare const operationNotFound: () => GraphqlError;
export declare const subscriptionsNotSupported: (place: Place) => GraphqlError;
export declare const fragmentCycle: (place: Place) => GraphqlError;
export declare const fragmentsTooDeep: (place: Place) => GraphqlError;
/** A mutation answers `data: null` here, a query leaves data out. */
export declare const nothingSelected: (kind: 'query' | 'mutation') => GraphqlError;
export declare const noSuchFragment: (fragment: string, type: string, place: Place) => GraphqlError;
export declare const differentFields: (later: string, earlier: string, place: Place) => GraphqlError;
export declare const differentArguments: (field: string, place: Place) => GraphqlError;
export declare const unknownDirective: (name: string, place: Place) => GraphqlError;
export declare const directiveArguments: (name: string, place: Place) => GraphqlError;
export declare const unknownDirectiveArgument: (name: string, argument: string, place: Place) => GraphqlError;
export declare const directiveConditionRequired: (name: string, place: Place) => GraphqlError;
/** PostgreSQL's own words for it (manual 8.3: text cannot hold the character). */
export declare const nullCharacter: () => GraphqlError;
export declare const loneSurrogate: () => GraphqlError;
export declare const unknownRootField: (name: string, type: 'Query' | 'Mutation', place: Place) => GraphqlError;
export declare const unknownMutationType: () => GraphqlError;
export declare const unknownNodeField: (name: string, type: string, place: Place) => GraphqlError;
export declare const unknownRecordField: (name: string, type: string, place: Place) => GraphqlError;
export declare const unknownConnectionField: (place: Place) => GraphqlError;
export declare const unknownEdgeField: (place: Place) => GraphqlError;
export declare const unknownPageInfoField: (place: Place) => GraphqlError;
export declare const aggregateNotEnabled: (place: Place) => GraphqlError;
export declare const unknownAggregateField: (name: string, type: string, place: Place) => GraphqlError;
export declare const unknownAggregateColumn: (name: string, type: string, place: Place) => GraphqlError;
export declare const unknownMutationResultField: (kind: 'insert' | 'update' | 'delete', place: Place) => GraphqlError;
export declare const selectionRequired: (name: string, type: string, place: Place) => GraphqlError;
export declare const extraArguments: (names: readonly string[], place: Place) => GraphqlError;
export declare const extraInputKeys: (type: string, names: readonly string[]) => GraphqlError;
export declare const invalidInput: (type: string) => GraphqlError;
export declare const invalidBigFloat: () => GraphqlError;
export declare const tooLong: (most: number) => GraphqlError;
export declare const invalidIsFilter: () => GraphqlError;
export declare const unexpectedInArray: (kind: 'array' | 'object') => GraphqlError;
export declare const unexpectedObject: () => GraphqlError;
export declare const absentValue: () => GraphqlError;
export declare const notUnsigned: (argument: string) => GraphqlError;
export declare const onlyOneOf: (a: string, b: string) => GraphqlError;
export declare const onlyWith: (argument: string, others: string) => GraphqlError;
export declare const badCursor: (step: 1 | 2 | 3 | 4) => GraphqlError;
export declare const cursorTooLong: () => GraphqlError;
export declare const badNodeId: (step: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 10) => GraphqlError;
export declare const unknownCollectionOfNodeId: () => GraphqlError;
export declare const nodeIdOfOtherCollection: () => GraphqlError;
export declare const keyCountMismatch: (expected: number, provided: number) => GraphqlError;
export declare const missingKeyColumns: (columns: readonly string[]) => GraphqlError;
export declare const noObjects: () => GraphqlError;
export declare const noMapping: () => GraphqlError;
export declare const planLimitExceeded: (limit: keyof GraphqlLimits, most: number, of: string) => GraphqlError;
export declare const unknownSchemaField: (field: string, place: Place) => GraphqlError;
export declare const unknownTypeField: (field: string, place: Place) => GraphqlError;
export declare const unknownFieldField: (field: string, place: Place) => GraphqlError;
export declare const unknownInputValueField: (field: string, place: Place) => GraphqlError;
export declare const unknownEnumValueField: (field: string, place: Place) => GraphqlError;
export declare const unknownDirectiveField: (field: string, place: Place) => GraphqlError;
export declare const noSpecifiedByUrl: (place: Place) => GraphqlError;
export declare const typeNameMissing: (place: Place) => GraphqlError;
export declare const typeNameNotText: (place: Place) => GraphqlError;
export declare const introspectionLimitExceeded: (limit: keyof GraphqlLimits, most: number, of: string, place: Place) => GraphqlError;
