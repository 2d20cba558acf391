import type { GraphqlLimits } from './limits.ts';
import { type ParsedDocument } from './parse-document.ts';
/** Parses each text once while it is remembered. Documents that do not parse are not remembered. */
export type DocumentCache = {
    readonly parse: (text: string) => ParsedDocument;
    readonly size: () => number;
};
/** Bounded by the number of documents and by the characters of their texts; a parsed document takes about 50 bytes a character. */
export declare function createDocumentCache(limits: GraphqlLimits, bounds?: {
    readonly documents: number;
    readonly characters: number;
}): DocumentCache;
