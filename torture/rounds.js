import { setTimeout as sleep } from 'node:timers/promises'
import { checkHistory } from './check-history.js'
import { checkDatabase, checkInserts, checkOrphans, checkRows, hurryEmptyings, untilEmptied } from './check-store.js'
import { startLoad } from './driver.js'
import { takeSnapshot } from './snapshot.js'
import { checkFlat, takeSample } from './well-being.js'
import { createOperations, makeGroups } from './world.js'

/**
 * What rounds are fought on: one service, or several beside each other.
 * @typedef {object} Ground
 * @property {import('./check-store.js').Store} store
 * @property {import('./operation.js').Caller} caller
 * @property {import('./ledger.js').Ledger} ledger
 * @property {(() => number) | null} pid of the one service; null: there are several
 * @property {() => boolean} isGone whether something that should serve has ended by itself
 * @property {() => void} readLog what was said and what nobody caught, held against C10 and C11
 * @property {(fault: import('./schedule.js').Fault, random: import('./random.js').Random) => Promise<Mend>} strike in the midst of the load
 * @property {() => Promise<void>} close
 *
 * @typedef {() => Promise<{ readonly servingAfterMs: number | null }>} Mend when the load has ended: everything serves again; null: it never stopped
 *
 * @typedef {object} Options
 * @property {Ground} ground
 * @property {import('./random.js').Random} random
 * @property {Iterable<import('./schedule.js').Planned>} schedule
 * @property {() => boolean} goOn asked before each round
 * @property {number} workers
 * @property {number} settleMs after which everything is still as it was after the last round
 * @property {(line: string) => void} print
 * @property {import('./verdicts.js').Verdicts} verdicts
 *
 * @typedef {object} Tally
 * @property {Record<string, number>} faults
 * @property {number} operations
 * @property {number} unknown
 * @property {number[]} servingAfterMs
 * @property {string | null} wellBeing what the process held after the rounds, in words
 */

/** Between close looks, which wait for the sweeper's grace. */
const ROUNDS_A_LOOK = 10

/**
 * Round after round: load, a fault in the midst of it, recovery, and every checker over what happened and what is there.
 * @param {Options} options
 * @returns {Promise<Tally>}
 */
export async function runRounds({ ground, random, schedule, goOn, workers, settleMs, print, verdicts }) {
  const { caller, store, ledger } = ground
  const groups = makeGroups()
  const draw = createOperations(random.fork('operations'), { hasParts: store.partsIn !== null })
  /** @type {Set<string>} */
  const written = new Set()
  /** @type {Tally} */
  const tally = { faults: {}, operations: 0, unknown: 0, servingAfterMs: [], wellBeing: null }
  /** @type {import('./well-being.js').Sample[]} */
  const samples = []
  let before = await takeSnapshot(verdicts, caller, groups)
  let round = 0

  for (const { fault, afterMs, afterOperations = 0 } of schedule) {
    if (!goOn()) break
    round++
    const load = startLoad({ caller, groups, draw, random: random.fork(`round ${round}`), ledger, workers })
    await sleep(afterMs)
    while (load.count() < afterOperations && !ground.isGone()) await sleep(10)
    await ledger.note({ round, fault })
    const mend = await ground.strike(fault, random)
    const history = await load.stop()
    ground.readLog()
    const { servingAfterMs } = await mend()
    if (servingAfterMs !== null) tally.servingAfterMs.push(servingAfterMs)

    await hurryEmptyings(store)
    await untilEmptied(store)
    for (const { operation } of history) if (operation.value) written.add(operation.value)
    const after = await takeSnapshot(verdicts, caller, groups)
    const again = await takeSnapshot(verdicts, caller, groups)
    if (JSON.stringify(after) !== JSON.stringify(again)) verdicts.violated('C5', `two looks differ: ${JSON.stringify([after, again])}`)
    checkHistory(verdicts, { history, groups, before, after, written, excusesErrors: fault === 'cut' })
    await checkInserts(verdicts, store, history)
    await checkRows(verdicts, store)
    const sample = ground.pid && (await takeSample(verdicts, ground.pid(), store))
    if (sample) samples.push(sample)
    if (round % ROUNDS_A_LOOK === 0) await lookClosely(ground, verdicts)
    before = again

    const unknown = history.filter(({ outcome }) => outcome === 'info').length
    tally.faults[fault] = (tally.faults[fault] ?? 0) + 1
    tally.operations += history.length
    tally.unknown += unknown
    const recovery = servingAfterMs === null ? 'served on' : `served ${Math.round(servingAfterMs)} ms after its start`
    const holding = sample ? `; ${sample.residentMiB} MiB, ${sample.open} open, ${sample.backends} backends` : ''
    print(`round ${round}: ${fault} after ${afterMs} ms; ${history.length} operations, ${unknown} unanswered; ${recovery}${holding}`)
  }

  await sleep(settleMs)
  const last = await takeSnapshot(verdicts, caller, groups)
  if (JSON.stringify(last) !== JSON.stringify(before))
    verdicts.violated('C5', `what was there changed by itself: ${JSON.stringify([before, last])}`)
  tally.wellBeing = checkFlat(verdicts, samples)
  return tally
}

/**
 * What takes longer than a round: the sweeper, and every index.
 * @param {Pick<Ground, 'store' | 'readLog'>} ground @param {import('./verdicts.js').Verdicts} verdicts
 */
export async function lookClosely({ store, readLog }, verdicts) {
  await checkOrphans(verdicts, store)
  await checkDatabase(verdicts, store)
  readLog()
}
