import { setTimeout as sleep } from 'node:timers/promises'
import { checkHistory } from './check-history.js'
import { checkDatabase, checkInserts, checkOrphans, checkRows, hurryEmptyings, untilEmptied } from './check-store.js'
import { startLoad } from './driver.js'
import { isReady, killPostgres, postgresPids } from './service.js'
import { takeSnapshot } from './snapshot.js'
import { createOperations, makeGroups } from './world.js'

/**
 * @typedef {object} Options
 * @property {import('./arena.js').Arena} arena
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
 */

/** Between close looks, which wait for the sweeper's grace. */
const ROUNDS_A_LOOK = 10

/**
 * Round after round: load, a fault in the midst of it, recovery, and every checker over what happened and what is there.
 * @param {Options} options
 * @returns {Promise<Tally>}
 */
export async function runRounds({ arena, random, schedule, goOn, workers, settleMs, print, verdicts }) {
  const { caller, store, ledger } = arena
  const groups = makeGroups()
  const draw = createOperations(random.fork('operations'))
  /** @type {Set<string>} */
  const written = new Set()
  /** @type {Tally} */
  const tally = { faults: {}, operations: 0, unknown: 0, servingAfterMs: [] }
  let before = await takeSnapshot(verdicts, caller, groups)
  let round = 0

  for (const { fault, afterMs, afterOperations = 0 } of schedule) {
    if (!goOn()) break
    round++
    const load = startLoad({ caller, groups, draw, random: random.fork(`round ${round}`), ledger, workers })
    await sleep(afterMs)
    while (load.count() < afterOperations && !arena.service().hasEnded()) await sleep(10)
    await ledger.note({ round, fault })
    const isGone = await strike(fault, arena, random, verdicts)
    const history = await load.stop()
    arena.readLog()
    if (isGone) tally.servingAfterMs.push((await arena.start()).servingAfterMs)
    else await untilBack(arena, verdicts)

    await hurryEmptyings(store)
    await untilEmptied(store)
    for (const { operation } of history) if (operation.value) written.add(operation.value)
    const after = await takeSnapshot(verdicts, caller, groups)
    const again = await takeSnapshot(verdicts, caller, groups)
    if (JSON.stringify(after) !== JSON.stringify(again)) verdicts.violated('C5', `two looks differ: ${JSON.stringify([after, again])}`)
    checkHistory(verdicts, { history, groups, before, after, written, excusesErrors: fault === 'cut' })
    await checkInserts(verdicts, store, history)
    await checkRows(verdicts, store)
    if (round % ROUNDS_A_LOOK === 0) await lookClosely(arena, verdicts)
    before = again

    const unknown = history.filter(({ outcome }) => outcome === 'info').length
    tally.faults[fault] = (tally.faults[fault] ?? 0) + 1
    tally.operations += history.length
    tally.unknown += unknown
    const recovery = isGone ? `served ${Math.round(arena.service().servingAfterMs)} ms after its start` : 'served on'
    print(`round ${round}: ${fault} after ${afterMs} ms; ${history.length} operations, ${unknown} unanswered; ${recovery}`)
  }

  await sleep(settleMs)
  const last = await takeSnapshot(verdicts, caller, groups)
  if (JSON.stringify(last) !== JSON.stringify(before))
    verdicts.violated('C5', `what was there changed by itself: ${JSON.stringify([before, last])}`)
  return tally
}

/** What takes longer than a round: the sweeper, and every index. @param {import('./arena.js').Arena} arena @param {import('./verdicts.js').Verdicts} verdicts */
export async function lookClosely(arena, verdicts) {
  await checkOrphans(verdicts, arena.store)
  await checkDatabase(verdicts, arena.store)
  arena.readLog()
}

/**
 * The fault itself; true: the service is gone and has to be started.
 * @param {import('./schedule.js').Fault} fault
 * @param {import('./arena.js').Arena} arena
 * @param {import('./random.js').Random} random
 * @param {import('./verdicts.js').Verdicts} verdicts
 */
async function strike(fault, arena, random, verdicts) {
  const service = arena.service()
  if (service.hasEnded()) {
    verdicts.violated('C10', `the service ended by itself:\n${service.said().slice(-2_000)}`)
    await killPostgres(await postgresPids(arena.place))
    return true
  }
  switch (fault) {
    case 'cut':
      await arena.cutPower()
      return true
    case 'kill':
      await arena.kill(false)
      return true
    case 'kill both':
      await arena.kill(true)
      return true
    case 'kill postgres':
    case 'kill backend': {
      // killing one of its children, PostgreSQL ends all and recovers, as after a crash
      const [server = 0, ...children] = await postgresPids(arena.place)
      await killPostgres([fault === 'kill postgres' || children.length === 0 ? server : random.pick(children)])
      await sleep(300)
      return false
    }
    case 'terminate': {
      service.kill('SIGTERM')
      const code = await service.exited
      verdicts.looked('C10')
      if (code !== 0) verdicts.violated('C10', `told to stop, it ended with ${code}:\n${service.said().slice(-2_000)}`)
      return true
    }
  }
}

const BACK_LIMIT_MS = 20_000

/**
 * The service stayed, its database went: it serves again without anybody's help.
 * @param {import('./arena.js').Arena} arena @param {import('./verdicts.js').Verdicts} verdicts
 */
async function untilBack({ place, service }, verdicts) {
  const until = performance.now() + BACK_LIMIT_MS
  verdicts.looked('C10')
  while (!(await isReady(place.port))) {
    if (service().hasEnded() || performance.now() > until) throw new Error(`it did not come back:\n${service().said().slice(-4_000)}`)
    await sleep(20)
  }
}
