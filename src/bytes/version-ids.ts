import type { VersionId } from './byte-store.ts'

const SLOT_MS = 1_000
const DAY_MS = 86_400_000

/**
 * Makes version ids: random but for the four digits that name the folder of a store in files, which follow the clock. By chance nearly every one
 * of the first 65,536 uploads would make a folder of its own and flush the one above it; so 256 are made a day, and what comes in the same second
 * lies in the same one, where one flush of the folder does for all who wait for it. 106 bits of chance are left.
 */
export function createVersionIds(now: () => Date, randomUuid: () => string): () => VersionId {
  return () => {
    const at = now().getTime()
    return `${digits(at / SLOT_MS)}${digits(at / DAY_MS)}${randomUuid().slice(4)}` as VersionId
  }
}

const digits = (n: number): string => (Math.floor(n) % 256).toString(16).padStart(2, '0')
