import type { JsonObject } from './json.ts';
import type { GraphqlLimits } from './limits.ts';
import type { GraphqlRequest, Operation } from './operation.ts';
import { type ParsedDocument } from './parse-document.ts';
import type { Guards } from './value.ts';
/**
 * The operation a request asks for. Declared types of variables are not looked at, and variables that were supplied without
 * being declared can be used (pg_graphql does both).
 * @param parse of a document cache, or `(text) => parseDocument(text, limits)`
 * @throws GraphqlError `data: 'absent'`
 */
export declare function readOperation(request: GraphqlRequest, parse: (text: string) => ParsedDocument, limits: GraphqlLimits, guards: Guards): Operation;
/** @throws GraphqlError when the variables are no object */
export declare function suppliedVariables(request: GraphqlRequest): JsonObject;
