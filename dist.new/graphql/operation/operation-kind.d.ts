import { type GraphqlRequest } from './operation.ts';
import { type ParsedDocument } from './parse-document.ts';
/** What kind of operation a request asks for; null when it cannot be told, since the document or the choice is at fault. */
export declare function operationKind(request: GraphqlRequest, parse: (text: string) => ParsedDocument): 'query' | 'mutation' | 'subscription' | null;
