import { LRUCache } from 'lru-cache';
import { parseDocument } from './parse-document.js';
/** Bounded by the number of documents and by the characters of their texts; a parsed document takes about 50 bytes a character. */
export function createDocumentCache(limits, bounds = { documents: 1_000, characters: 1_000_000 }) {
    const known = new LRUCache({
        max: bounds.documents,
        maxSize: bounds.characters,
        sizeCalculation: (_, text) => Math.max(1, text.length),
    });
    return {
        parse: (text) => {
            const found = known.get(text);
            if (found)
                return found;
            const parsed = parseDocument(text, limits);
            known.set(text, parsed);
            return parsed;
        },
        size: () => known.size,
    };
}
