import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openArena } from './arena.js'
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
export async function tryToCatch({ name, faults, caughtBy }, { folder, seed, hasDisk, print }) {
  const needsDisk = faults.some(({ fault }) => fault === 'cut')
  if (needsDisk && !hasDisk) return null
  const verdicts = createVerdicts(print)
  const arena = await openArena(
    { folder: join(folder, name.replaceAll(' ', '-')), hasDisk: needsDisk, servingLimitMs: 30_000, verdicts },
    { preloads: [SABOTAGE], orders: { TORTURE_SABOTAGE: name } },
  )
  try {
    await runRounds({
      arena,
      random: createRandom(seed),
      schedule: faults,
      goOn: () => true,
      workers: WORKERS,
      settleMs: 0,
      print,
      verdicts,
    })
    if (caughtBy.some((checker) => CLOSE.includes(checker))) await lookClosely(arena, verdicts)
  } catch (error) {
    // a service so broken that it cannot even be looked at; only what the checkers said before counts
    print(`  broke off: ${error instanceof Error ? error.message : error}`)
  } finally {
    await arena.close()
  }
  return { isCaught: caughtBy.some((checker) => verdicts.broken().includes(checker)), broken: verdicts.broken() }
}
