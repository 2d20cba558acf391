import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openArena } from './arena.js'
import { whyNoDisk } from './disk.js'
import { checkDrain } from './drain.js'
import { openFleet } from './fleet.js'
import { findGateway } from './gateway.js'
import { SEAM, SWEPT_SETTINGS, sweepKills } from './kill-sweep.js'
import { runRaces } from './races.js'
import { createRandom } from './random.js'
import { lookClosely, runRounds } from './rounds.js'
import { SABOTAGES } from './sabotages.js'
import { makeFleetSchedule, makeSchedule } from './schedule.js'
import { tryToCatch } from './self-test.js'
import { createVerdicts } from './verdicts.js'

const USE = `npm run torture -- [what] [--seed text]
  --minutes N                  rounds of load and faults for so long (5, unless something else is asked for)
  --cuts N --kills N           rounds with so many power cuts and kills, in a mixed order
  --workers N                  writers and readers at once (16)
  --processes N                so many services on one database and one store; some are killed, some frozen and thawed
  --store s3                   with --processes: their store is a bucket (versitygw), not a folder they share
  --sweep N                    die at every step (2: every second) of an upload, replace, move, copy, delete, empty
  --races [--ops N]            everybody against everybody, without a fault: so many operations (5000)
  --drain                      stop in the midst of transfers
  --self-test                  break the service on purpose: each sabotage must be noticed`

/** A start takes well under a second on a machine of its own. */
const SERVING_LIMIT_MS = 5_000

const OPTIONS = /** @type {const} */ ({
  seed: { type: 'string', default: '1' },
  minutes: { type: 'string' },
  cuts: { type: 'string' },
  kills: { type: 'string' },
  workers: { type: 'string', default: '16' },
  processes: { type: 'string' },
  store: { type: 'string', default: 'fs' },
  sweep: { type: 'string' },
  races: { type: 'boolean', default: false },
  ops: { type: 'string', default: '5000' },
  drain: { type: 'boolean', default: false },
  'self-test': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
})

const print = (/** @type {string} */ line) => console.log(line)

/** @param {readonly string[]} args @returns {Promise<number>} exit code: 0 when everything held, 1 when not, 2 when it broke off */
export async function torture(args) {
  const asked = readArguments(args)
  if (asked === null) return 2
  if (asked.help) {
    print(USE)
    return 0
  }
  const folder = await mkdtemp(join(tmpdir(), 'stowage-torture-'))
  try {
    if (asked.processes !== undefined) return (await severalProcesses(folder, asked)) ? 0 : 1
    const why = await whyNoDisk(folder)
    if (why) print(`SKIPPED: power cuts (${why})`)
    if (asked['self-test']) return (await selfTest(folder, asked.seed, why === null)) ? 0 : 1
    return (await oneRun(folder, asked, why === null)) ? 0 : 1
  } catch (error) {
    print(`BROKE OFF: ${error instanceof Error ? error.stack : error}`)
    return 2
  } finally {
    await rm(folder, { recursive: true, force: true }).catch((error) => print(`left behind: ${error.message}`))
  }
}

/** @param {readonly string[]} args */
function readArguments(args) {
  try {
    const { values } = parseArgs({ args: [...args], options: OPTIONS })
    for (const name of /** @type {const} */ (['minutes', 'cuts', 'kills', 'workers', 'processes', 'sweep', 'ops'])) {
      if (values[name] !== undefined && !(Number(values[name]) > 0)) throw new Error(`--${name} takes a number above 0`)
    }
    if (!['fs', 's3'].includes(values.store)) throw new Error('--store takes fs or s3')
    if (values.processes === undefined ? values.store !== 'fs' : !(Number(values.processes) > 1))
      throw new Error('--processes takes a number above 1, and --store goes with it')
    return values
  } catch (error) {
    print(`${error instanceof Error ? error.message : error}\n${USE}`)
    return null
  }
}

/** @typedef {NonNullable<ReturnType<typeof readArguments>>} Asked */

/** @param {string} folder @param {Asked} asked @param {boolean} hasDisk */
async function oneRun(folder, asked, hasDisk) {
  const verdicts = createVerdicts(print)
  const random = createRandom(asked.seed)
  const kind = asked.races ? 'races' : asked.sweep ? 'sweep' : asked.drain ? 'drain' : 'rounds'
  const preloaded = kind === 'sweep' ? { preloads: [SEAM], settings: SWEPT_SETTINGS } : {}
  const arena = await openArena({ folder, hasDisk: hasDisk && kind === 'rounds', servingLimitMs: SERVING_LIMIT_MS, verdicts }, preloaded)
  await untilEnded(arena, async (signal) => {
    switch (kind) {
      case 'races':
        print(JSON.stringify(await runRaces({ arena, random, operations: Number(asked.ops), verdicts, print })))
        break
      case 'sweep':
        print(`${await sweepKills({ arena, verdicts, stride: Number(asked.sweep), print })} kills`)
        break
      case 'drain':
        await checkDrain({ arena, verdicts, print })
        break
      case 'rounds':
        await rounds(arena, asked, random, scheduleOf(asked, random, hasDisk), verdicts, signal)
    }
  })
  print(verdicts.table())
  return verdicts.isClean()
}

/** @param {string} folder @param {Asked} asked */
async function severalProcesses(folder, asked) {
  const gateway = asked.store === 's3' ? await findGateway() : null
  if (asked.store === 's3' && gateway === null) {
    print('there is no versitygw (.ci/run installs it where Go is present)')
    return false
  }
  const verdicts = createVerdicts(print)
  const random = createRandom(asked.seed)
  const processes = Number(asked.processes)
  const fleet = await openFleet({ folder, processes, gateway, servingLimitMs: SERVING_LIMIT_MS, random, verdicts })
  const schedule = makeFleetSchedule(random.fork('schedule'), { hasGateway: gateway !== null })
  await untilEnded(fleet, (signal) => rounds(fleet, asked, random, schedule, verdicts, signal))
  print(verdicts.table())
  return verdicts.isClean()
}

/** @param {import('./rounds.js').Ground} ground @param {(signal: AbortSignal) => Promise<void>} work @returns {Promise<void>} */
async function untilEnded(ground, work) {
  const ended = new AbortController()
  const end = () => ended.abort()
  process.once('SIGINT', end).once('SIGTERM', end)
  try {
    await work(ended.signal)
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end)
    await ground.close()
  }
}

/** @param {Asked} asked @param {import('./random.js').Random} random @param {boolean} hasDisk */
const scheduleOf = (asked, random, hasDisk) =>
  makeSchedule(random.fork('schedule'), {
    cuts: asked.cuts === undefined ? null : Number(asked.cuts),
    kills: asked.kills === undefined ? null : Number(asked.kills),
    hasDisk,
  })

/**
 * @param {import('./rounds.js').Ground} ground @param {Asked} asked @param {import('./random.js').Random} random
 * @param {Iterable<import('./schedule.js').Planned>} schedule @param {import('./verdicts.js').Verdicts} verdicts @param {AbortSignal} signal
 */
async function rounds(ground, asked, random, schedule, verdicts, signal) {
  const isCounted = asked.cuts !== undefined || asked.kills !== undefined
  const minutes = asked.minutes === undefined ? (isCounted ? Number.POSITIVE_INFINITY : 5) : Number(asked.minutes)
  const until = performance.now() + minutes * 60_000
  print(`seed ${asked.seed}; the same seed gives the same schedule: fault, and milliseconds of load before it`)
  const goOn = () => performance.now() < until && !signal.aborted
  const tally = await runRounds({ ground, random, schedule, goOn, workers: Number(asked.workers), settleMs: 10_000, print, verdicts })
  await lookClosely(ground, verdicts)
  const slowest = Math.round(Math.max(0, ...tally.servingAfterMs))
  const faults = Object.entries(tally.faults).map(([fault, count]) => `${count} x ${fault}`)
  print(`${faults.join(', ')}; ${tally.operations} operations, ${tally.unknown} unanswered; slowest start ${slowest} ms`)
  if (tally.wellBeing) print(tally.wellBeing)
}

/** @param {string} folder @param {string} seed @param {boolean} hasDisk */
async function selfTest(folder, seed, hasDisk) {
  let missed = 0
  for (const sabotage of SABOTAGES) {
    /** @type {string[]} */
    const said = []
    const result = await tryToCatch(sabotage, { folder, seed, hasDisk, print: (line) => said.push(line) })
    if (!result) {
      print(`SKIPPED: ${sabotage.name} (it takes a power cut)`)
      continue
    }
    print(`${result.isCaught ? 'caught' : 'MISSED'}: ${sabotage.name} (${result.broken.join(', ') || 'nobody noticed'})`)
    if (result.isCaught) continue
    missed++
    print(said.join('\n'))
  }
  return missed === 0
}
