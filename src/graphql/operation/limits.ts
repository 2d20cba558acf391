/** What bounds the work one GraphQL document can cause. Each default is far above what applications send. */
export const GRAPHQL_LIMITS = {
  documentCharacters: { unit: 'characters', default: 131_072, sentence: 'Longest GraphQL document.' },
  tokens: { unit: 'tokens', default: 10_000, sentence: 'Most tokens of one document (names, punctuation, values).' },
  brackets: {
    unit: 'levels',
    default: 50,
    sentence: 'Deepest nesting of braces, brackets and parentheses of one document, counted together.',
  },
  fragments: { unit: 'fragments', default: 1_000, sentence: 'Most fragment definitions of one document.' },
  aliases: { unit: 'aliases', default: 500, sentence: 'Most aliased fields of one document.' },
  directives: { unit: 'directives', default: 1_000, sentence: 'Most directives of one document.' },
  rootFields: { unit: 'fields', default: 100, sentence: 'Most root fields of one operation after fragments are put in.' },
  expandedFields: { unit: 'selections', default: 10_000, sentence: 'Most selections of one operation after fragments are put in.' },
  introspectionDepth: {
    unit: 'levels',
    default: 3,
    sentence: 'Deepest nesting of lists (fields, args, types and their like, except `types` at the top) in an introspection.',
  },
  introspectionRepeats: {
    unit: 'times',
    default: 4,
    sentence: 'How many times over one introspection answer may show what the schema holds; 10,000 objects are always allowed.',
  },
  introspectionCharacters: { unit: 'characters', default: 67_108_864, sentence: 'Longest introspection answer.' },
  filterTerms: { unit: 'terms', default: 1_000, sentence: 'Most comparisons and connectives in the filters of one operation.' },
  responseBytes: {
    unit: 'bytes',
    default: 67_108_864,
    sentence: 'Longest answer that the database may give to one operation; a mutation beyond it is undone.',
  },
  boundValues: { unit: 'values', default: 65_535, sentence: 'Most values of one statement; PostgreSQL takes no more.' },
} as const satisfies Record<string, { readonly unit: string; readonly default: number; readonly sentence: string }>

export type GraphqlLimits = { readonly [Name in keyof typeof GRAPHQL_LIMITS]: number }

export const DEFAULT_GRAPHQL_LIMITS: GraphqlLimits = Object.fromEntries(
  Object.entries(GRAPHQL_LIMITS).map(([name, limit]) => [name, limit.default]),
) as GraphqlLimits
