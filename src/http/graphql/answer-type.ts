/** The two media types of a GraphQL answer (GraphQL over HTTP, section 5). */
export type AnswerType = 'application/graphql-response+json' | 'application/json'

/**
 * The type an Accept header asks for: `application/graphql-response+json` if it is preferred, or named first where both are
 * liked equally; else `application/json`, also for headers that accept neither.
 */
export function answerType(accept: string | undefined): AnswerType {
  // most clients say one of these
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return 'application/json'
  const ranges = accept.split(',').map(readRange)
  const best = (names: readonly string[]): { readonly quality: number; readonly position: number } => {
    let found = { quality: 0, position: Number.POSITIVE_INFINITY }
    ranges.forEach(({ name, quality }, position) => {
      if (names.includes(name) && quality > found.quality) found = { quality, position }
    })
    return found
  }
  const graphql = best(['application/graphql-response+json'])
  const named = best(['application/json'])
  const json = named.quality > 0 ? named : best(['application/*', '*/*'])
  if (graphql.quality > json.quality) return 'application/graphql-response+json'
  return graphql.quality > 0 && graphql.quality === json.quality && graphql.position < json.position
    ? 'application/graphql-response+json'
    : 'application/json'
}

/** `application/json;q=0.9` (RFC 9110 12.5.1) */
function readRange(text: string): { readonly name: string; readonly quality: number } {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1)
  return { name, quality: Number.isNaN(quality) ? 0 : quality }
}
