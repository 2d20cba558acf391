import type { Attack } from './attack.ts'
import { BUCKETS } from './catalogue/buckets.ts'
import { KEYS } from './catalogue/keys.ts'
import { SIGNED_ADDRESSES } from './catalogue/signed-addresses.ts'
import { TOKENS } from './catalogue/tokens.ts'

/** All attacks, by what they attack. */
export const CATALOGUE = {
  tokens: TOKENS,
  'signed addresses': SIGNED_ADDRESSES,
  buckets: BUCKETS,
  keys: KEYS,
} as const satisfies Readonly<Record<string, readonly Attack[]>>
