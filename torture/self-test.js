import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openArena } from './arena.js'
import { openFleet } from './fleet.js'
import { createRandom } from './random.js'
import { lookClosely, runRounds } from './rounds.js'
import { createVerdicts } from './verdicts.js'

const SABOTAGE = fileURLToPath(new URL('preload/sabotage.js', import.meta.url))
const WORKERS = 16
/** What only a close look finds. @type {readonly import('./verdicts.js').Checker[]} */
const CLOSE = ['C7', 'C12']

/**
 * Whether the harness notices a service that was broken on purpose: what it found, and whether that is what it had to find.
 * @param {import('./sabotages.js').Sabotage} sabotage
 * @param {{ folder: string, seed: string, hasDisk: boolean, print: (line: string) => void }} options
 * @returns {Promise<{ readonly isCaught: boolean, readonly broken: readonly import('./verdicts.js').Checker[] } | null>} null: it takes a disk
 */
export async function tryToCatch({ name, faults, caughtBy, processes }, { folder, seed, hasDisk, print }) {
  const needsDisk = faults.some(({ fault }) => fault === 'cut')
  if (needsDisk && !hasDisk) return null
  const verdicts = createVerdicts(print)
  const random = createRandom(seed)
  const common = { folder: join(folder, name.replaceAll(' ', '-')), servingLimitMs: 30_000, verdicts }
  const preloaded = { preloads: [SABOTAGE], orders: { TORTURE_SABOTAGE: name } }
  const ground =
    processes === undefined
      ? await openArena({ ...common, hasDisk: needsDisk }, preloaded)
      : await openFleet({ ...common, processes, gateway: null, random }, preloaded)
  try {
    await runRounds({
      ground,
      random,
      schedule: faults,
      goOn: () => true,
      workers: WORKERS,
      settleMs: 0,
      print,
      verdicts,
    })
    if (caughtBy.some((checker) => CLOSE.includes(checker))) await lookClosely(ground, verdicts)
  } catch (error) {
    // a service so broken that it cannot even be looked at; only what the checkers said before counts
    print(`  broke off: ${error instanceof Error ? error.message : error}`)
  } finally {
    await ground.close()
  }
  return { isCaught: caughtBy.some((checker) => verdicts.broken().includes(checker)), broken: verdicts.broken() }
}
