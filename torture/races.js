import { setTimeout as sleep } from 'node:timers/promises'
import { checkRows } from './check-store.js'
import { startLoad } from './driver.js'
import { linearize } from './linearize.js'
import { bucketCell, cellOf, keyOfState, stateOf, stepsOf } from './object-model.js'
import { perform } from './operation.js'
import { makePayload, md5, SMALLEST } from './payload.js'
import { lookClosely } from './rounds.js'

/**
 * Everybody against everybody on three keys in two buckets, without any fault: every pair of operations meets.
 * @typedef {import('./operation.js').Done} Done
 * @typedef {import('./operation.js').Kind} Kind
 *
 * @typedef {object} RaceReport
 * @property {number} operations
 * @property {number} opsPerSecond
 * @property {number} checkedInMs
 * @property {number} pairs kinds of operations that were under way together
 * @property {number} ofPairs
 */

const BUCKETS = ['race-one', 'race-two']
const KEYS = ['a', 'b', 'c']
const WORKERS = 8
/** larger than anything that is written; its last digits name the operation that set it */
const LIMIT = 10 ** 9
const GROUP = { name: 'race', as: 'service', places: [], weights: {}, spy: null }

const WEIGHTS = {
  create: 10,
  upsert: 10,
  get: 10,
  list: 6,
  delete: 12,
  'bulk delete': 5,
  move: 12,
  copy: 6,
  'copy over': 6,
  empty: 4,
  'create bucket': 6,
  'update bucket': 4,
  'delete bucket': 6,
  'get bucket': 4,
}

/**
 * @param {object} options
 * @param {import('./arena.js').Arena} options.arena
 * @param {import('./random.js').Random} options.random
 * @param {number} options.operations
 * @param {import('./verdicts.js').Verdicts} options.verdicts
 * @param {(line: string) => void} options.print
 * @returns {Promise<RaceReport>}
 */
export async function runRaces({ arena, random, operations, verdicts, print }) {
  const draw = createRaceOperations(random.fork('operations'))
  const load = startLoad({
    caller: arena.caller,
    groups: [GROUP],
    draw,
    random,
    ledger: arena.ledger,
    workers: WORKERS,
    most: operations,
  })
  const began = performance.now()
  const progress = setInterval(() => print(`${load.count()} of ${operations} operations`), 10_000)
  const raced = await load.stop()
  clearInterval(progress)
  const seconds = (performance.now() - began) / 1000
  const history = [...raced, ...(await lookAtAll(arena.caller))]

  const checking = performance.now()
  checkRace(verdicts, history)
  const checkedInMs = performance.now() - checking
  await sleep(100)
  await checkRows(verdicts, arena.store)
  await lookClosely(arena, verdicts)
  return {
    operations: history.length,
    opsPerSecond: Math.round(history.length / seconds),
    checkedInMs: Math.round(checkedInMs),
    ...countPairs(raced),
  }
}

/** @param {import('./random.js').Random} random */
function createRaceOperations(random) {
  let count = 0
  return () => {
    const drawn = random.weigh(WEIGHTS)
    const id = String(++count)
    const bucket = random.pick(BUCKETS)
    const key = random.pick(KEYS)
    const places = BUCKETS.flatMap((one) => KEYS.map((name) => ({ toBucket: one, toKey: name })))
    const to = random.pick(places.filter(({ toBucket, toKey }) => toBucket !== bucket || toKey !== key))
    const base = { id, group: GROUP.name, as: GROUP.as, bucket, key }
    switch (drawn) {
      case 'create':
      case 'upsert': {
        const payload = makePayload({
          operation: id,
          key,
          owner: GROUP.as,
          size: SMALLEST + random.below(2_000),
          seed: random.below(2 ** 31),
        })
        return { operation: { ...base, kind: /** @type {Kind} */ ('put'), upsert: drawn === 'upsert', value: md5(payload) }, payload }
      }
      case 'copy':
      case 'copy over':
        return { operation: { ...base, ...to, kind: /** @type {Kind} */ ('copy'), upsert: drawn === 'copy over' } }
      case 'move':
        return { operation: { ...base, ...to, kind: /** @type {Kind} */ ('move') } }
      case 'bulk delete':
        return { operation: { ...base, kind: /** @type {Kind} */ ('bulk delete'), keys: KEYS } }
      case 'list':
        return { operation: { ...base, key: '', kind: /** @type {Kind} */ ('list') } }
      default:
        return { operation: { ...base, kind: /** @type {Kind} */ (drawn), value: String(LIMIT + count) } }
    }
  }
}

/** One after the other, when all is quiet. @param {import('./operation.js').Caller} caller */
async function lookAtAll(caller) {
  /** @type {Done[]} */
  const looks = []
  for (const bucket of BUCKETS) {
    const base = { id: 'last', group: GROUP.name, as: GROUP.as, bucket }
    for (const kind of /** @type {const} */ (['get bucket', 'list'])) looks.push(await perform(caller, { ...base, kind, key: '' }))
    for (const key of KEYS) looks.push(await perform(caller, { ...base, kind: 'get', key }))
  }
  return looks
}

/** @param {import('./verdicts.js').Verdicts} verdicts @param {readonly Done[]} history */
function checkRace(verdicts, history) {
  verdicts.looked('C10', history.length)
  verdicts.looked('C1', history.length)
  verdicts.looked('C8', history.filter(({ operation: { kind, upsert } }) => kind === 'put' && !upsert).length)
  for (const { operation, fault, faultKind } of history) {
    if (fault) verdicts.violated(faultKind === 'read' ? 'C3' : 'C10', `#${operation.id}: ${fault}`)
  }
  const unanswered = history.filter(({ outcome }) => outcome === 'info')
  for (const { operation, code } of unanswered) verdicts.violated('C10', `#${operation.id} ${operation.kind}: ${code}`)

  const cells = BUCKETS.flatMap((bucket) => KEYS.map((key) => cellOf(bucket, key)))
  const result = linearize(stateOf({}), stepsOf(history, { bucketsMove: true, cells }), keyOfState)
  if (result.verdict === 'linearizable') return
  if (result.verdict === 'undecided') return verdicts.violated('C1', `the race could not be judged: ${result.why}`)
  const states = result.states.map(({ cells: now }) =>
    [...BUCKETS.map(bucketCell), ...cells].flatMap((cell) => (now[cell] ? [`${cell}=${now[cell].value.slice(0, 10)}`] : [])).join(' '),
  )
  const under = result.pending.map(({ name }) => name).join('; ')
  verdicts.violated('C1', `${result.step.name}; possible: ${states.join(' or ') || 'nothing'}; under way: ${under}`)
}

/** @param {Done['operation']} operation */
const nameOf = ({ kind, upsert }) => (kind === 'put' ? (upsert ? 'upsert' : 'create') : kind === 'copy' && upsert ? 'copy over' : kind)

/** @param {readonly Done[]} history */
function countPairs(history) {
  const met = new Set()
  /** @type {Done[]} */
  let under = []
  for (const done of [...history].sort((a, b) => a.call - b.call)) {
    under = under.filter(({ end }) => end >= done.call)
    for (const other of under) met.add([nameOf(other.operation), nameOf(done.operation)].sort().join(' with '))
    under.push(done)
  }
  const kinds = Object.keys(WEIGHTS).length
  return { pairs: met.size, ofPairs: (kinds * (kinds + 1)) / 2 }
}
