import type { Attack } from './attack.ts'
import { BUCKETS } from './catalogue/buckets.ts'
import { DOCUMENTS } from './catalogue/documents.ts'
import { EXHAUSTION } from './catalogue/exhaustion.ts'
import { GRAPHQL_VARIANTS } from './catalogue/graphql-variants.ts'
import { GROWTH } from './catalogue/growth.ts'
import { INJECTION } from './catalogue/injection.ts'
import { KEYS } from './catalogue/keys.ts'
import { LISTS } from './catalogue/lists.ts'
import { MOVES } from './catalogue/moves.ts'
import { OPERATOR } from './catalogue/operator.ts'
import { RANGES } from './catalogue/ranges.ts'
import { RATES } from './catalogue/rates.ts'
import { ONE_CONNECTION, RIGHTS } from './catalogue/rights.ts'
import { SIGNED_ADDRESSES } from './catalogue/signed-addresses.ts'
import { STORAGE_VARIANTS } from './catalogue/storage-variants.ts'
import { TOKENS } from './catalogue/tokens.ts'
import { UPLOADS } from './catalogue/uploads.ts'
import { WIRE } from './catalogue/wire.ts'

/** All attacks, by what they attack. */
export const CATALOGUE = {
  tokens: TOKENS,
  'signed addresses': SIGNED_ADDRESSES,
  buckets: BUCKETS,
  keys: KEYS,
  uploads: UPLOADS,
  ranges: RANGES,
  lists: LISTS,
  moves: MOVES,
  rights: RIGHTS,
  'one connection': ONE_CONNECTION,
  injection: INJECTION,
  documents: DOCUMENTS,
  wire: WIRE,
  exhaustion: EXHAUSTION,
  operator: OPERATOR,
  rates: RATES,
  growth: GROWTH,
  'storage variants': STORAGE_VARIANTS,
  'graphql variants': GRAPHQL_VARIANTS,
} as const satisfies Readonly<Record<string, readonly Attack[]>>
