import { LRUCache } from 'lru-cache'
import type { GraphqlLimits } from './limits.ts'
import { type ParsedDocument, parseDocument } from './parse-document.ts'

/** Parses each text once while it is remembered. Documents that do not parse are not remembered. */
export type DocumentCache = { readonly parse: (text: string) => ParsedDocument; readonly size: () => number }

/** Bounded by the number of documents and by the characters of their texts; a parsed one takes about 80 bytes a character, 240 at worst. */
export function createDocumentCache(
  limits: GraphqlLimits,
  bounds: { readonly documents: number; readonly characters: number } = { documents: 1_000, characters: 300_000 },
): DocumentCache {
  const known = new LRUCache<string, ParsedDocument>({
    max: bounds.documents,
    maxSize: bounds.characters,
    sizeCalculation: (_, text) => Math.max(1, text.length),
  })
  return {
    parse: (text) => {
      const found = known.get(text)
      if (found) return found
      const parsed = parseDocument(text, limits)
      known.set(text, parsed)
      return parsed
    },
    size: () => known.size,
  }
}
