import type { SelectionNode } from 'graphql';
import type { GraphqlLimits } from './limits.ts';
import { type Operation, type SelectedField } from './operation.ts';
/**
 * The fields of a selection set as they are answered: fragments put in, @skip and @include applied, fields of one response key
 * merged, in document order. A fragment applies to its very type and to the `interfaces` given (pg_graphql: to its type only).
 * What variables decided is recorded in the operation's guards.
 * @throws GraphqlError `data: 'null'`
 */
export declare function collectFields(operation: Operation, selections: readonly SelectionNode[], typeName: string, interfaces?: readonly string[]): readonly SelectedField[];
/**
 * The root fields. Errors leave the data key out, where they would not further down.
 * @throws GraphqlError
 */
export declare function collectRootFields(operation: Operation, limits: GraphqlLimits): readonly SelectedField[];
