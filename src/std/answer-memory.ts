import { createChunkPool } from './chunk-pool.ts'

/** Most answers are shorter: longer ones have memory of their own. */
export const MOST_ANSWER_BYTES = 131_072
const MOST_KEPT = 32

/**
 * Memory that answers of PostgreSQL are put together in. Whoever has sent one gives it back; the others are left to the garbage collector, which
 * has to look at all of the heap when too many of them come in a second.
 */
export const answerMemory = createChunkPool(MOST_ANSWER_BYTES, MOST_KEPT)
