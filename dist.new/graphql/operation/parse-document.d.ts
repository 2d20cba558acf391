import { type FragmentDefinitionNode, type OperationDefinitionNode } from 'graphql';
import type { GraphqlLimits } from './limits.ts';
import { GraphqlError } from './operation.ts';
/** A document that parses, and what holds of it whatever operation and variables come with it. */
export type ParsedDocument = {
    readonly operations: readonly OperationDefinitionNode[];
    readonly fragments: readonly FragmentDefinitionNode[];
    readonly fragmentsByName: ReadonlyMap<string, readonly FragmentDefinitionNode[]>;
    /** why none of its operations can be run; raised after the variables were looked at */
    readonly fault: GraphqlError | null;
};
/** @throws GraphqlError for syntax and for limits of the document as a whole */
export declare function parseDocument(text: string, limits: GraphqlLimits): ParsedDocument;
/**
 * The operation that is meant: the named one, or the only one when no name was sent.
 * @throws GraphqlError when there is none
 */
export declare function chooseOperation(operations: readonly OperationDefinitionNode[], name: string | null): OperationDefinitionNode;
