import { setTimeout as sleep } from 'node:timers/promises'
import { createFingerprint } from '../bytes/fingerprint.ts'
import { StartupError } from '../config/startup-error.ts'
import { findStoreId } from '../storage/rows/sweep.sql.ts'
import { type Scrub, type ScrubReport, scrubObjects } from '../storage/scrub/scrub-objects.ts'
import { whyNotOurs } from '../storage/sweep/store-identity.ts'
import type { Run } from '../storage/sweep/sweep-options.ts'
import { withStore } from './with-store.ts'

/**
 * Compares the stored bytes with the database, beside a running service or without one.
 * @param bytesPerSecond null: as fast as it goes
 * @throws StartupError when the stored files are not those of the database
 */
export async function scrubOnce(scrub: Scrub, bytesPerSecond: number | null, onLine: (line: string) => void): Promise<ScrubReport> {
  return withStore(onLine, async ({ connections, bytes, marker }) => {
    // a scrub that was stopped still asks whether a finding stands
    const unhurried = new AbortController().signal
    const run: Run = async (statements) =>
      connections.asService({ access: 'read only', end: 'commit', settings: [], statements }, unhurried)
    const foreign = whyNotOurs(await marker.read(), (await run([findStoreId()]))[0]?.[0]?.[0] ?? null)
    if (foreign !== null) throw new StartupError(`The stored files do not belong to the database: ${foreign}.`)
    return scrubObjects({ run, bytes, fingerprint: createFingerprint, pace: createPace(bytesPerSecond) }, scrub)
  })
}

/** Lets so many bytes pass a second, counted from the first. */
function createPace(bytesPerSecond: number | null): (bytes: number) => Promise<void> {
  if (bytesPerSecond === null) return async () => undefined
  const began = performance.now()
  let passed = 0
  return async (bytes) => {
    passed += bytes
    const ahead = (passed / bytesPerSecond) * 1000 - (performance.now() - began)
    if (ahead > 5) await sleep(ahead)
  }
}
