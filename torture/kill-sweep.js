import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { checkHistory } from './check-history.js'
import { checkRows, hurryEmptyings, untilEmptied } from './check-store.js'
import { perform } from './operation.js'
import { makePayload, md5 } from './payload.js'
import { lookClosely } from './rounds.js'
import { takeSnapshot } from './snapshot.js'

/**
 * The process dies at the first step of an upload, then at the second, and so on until one runs to its end; likewise for every other kind of
 * change. The steps are counted by preload/seam.js.
 * @typedef {import('./operation.js').Operation} Operation
 * @typedef {{ readonly name: string, readonly bytes: number, readonly there: readonly string[], readonly what: Partial<Operation> & Pick<Operation, 'kind'> }} Change
 */

const BUCKET = 'gamma'
const [A, B, C] = /** @type {const} */ (['swept/a', 'swept/b', 'swept/c'])
const ELSEWHERE = { bucket: 'alpha', key: A }
const PLACES = [...[A, B, C].map((key) => ({ bucket: BUCKET, key })), ELSEWHERE]
/** More than the store writes at once. */
const LARGE = 300_000
const GROUP = { name: 'swept', as: 'service', places: PLACES, weights: {}, spy: null }

/** @type {readonly Change[]} */
const CHANGES = [
  { name: 'upload', bytes: LARGE, there: [], what: { kind: 'put', upsert: false } },
  { name: 'replace', bytes: 5_000, there: [A], what: { kind: 'put', upsert: true } },
  { name: 'move', bytes: 0, there: [A], what: { kind: 'move', toBucket: BUCKET, toKey: B } },
  { name: 'move to another bucket', bytes: 0, there: [A], what: { kind: 'move', toBucket: ELSEWHERE.bucket, toKey: ELSEWHERE.key } },
  { name: 'copy', bytes: 0, there: [A], what: { kind: 'copy', toBucket: BUCKET, toKey: B, upsert: false } },
  { name: 'copy over', bytes: 0, there: [A, B], what: { kind: 'copy', toBucket: BUCKET, toKey: B, upsert: true } },
  { name: 'delete', bytes: 0, there: [A], what: { kind: 'delete' } },
  { name: 'bulk delete', bytes: 0, there: [A, B], what: { kind: 'bulk delete', keys: [A, B, C] } },
  { name: 'empty', bytes: 0, there: [A, B, C], what: { kind: 'empty' } },
]

/** Preloaded: counts the steps. */
export const SEAM = fileURLToPath(new URL('preload/seam.js', import.meta.url))
/** For the service: nothing of its own goes on meanwhile that would be counted. */
export const SWEPT_SETTINGS = { STOWAGE_SWEEP_INTERVAL: '1d' }

/**
 * @param {object} options
 * @param {import('./arena.js').Arena} options.arena opened with {@link SWEPT_SETTINGS} and the seam
 * @param {import('./verdicts.js').Verdicts} options.verdicts
 * @param {number} options.stride 1: every step; 5: every fifth
 * @param {(line: string) => void} options.print
 * @returns {Promise<number>} kills
 */
export async function sweepKills({ arena, verdicts, stride, print }) {
  const { caller, store } = arena
  /** @type {Set<string>} */
  const written = new Set()
  let made = 0
  let kills = 0

  const payloadOf = (/** @type {string} */ key, /** @type {number} */ size) => {
    const payload = makePayload({ operation: `s${++made}`, key, owner: 'service', size, seed: made })
    written.add(md5(payload))
    return payload
  }
  /** @param {Partial<Operation> & Pick<Operation, 'kind'>} what @param {Buffer} [payload] */
  const send = (what, payload) => {
    const value = payload ? { value: md5(payload) } : {}
    return perform(caller, { id: String(++made), group: GROUP.name, as: 'service', bucket: BUCKET, key: A, ...value, ...what }, payload)
  }
  /** @param {readonly string[]} there */
  const prepare = async (there) => {
    await send({ kind: 'bulk delete', keys: [A, B, C] })
    await send({ kind: 'bulk delete', bucket: ELSEWHERE.bucket, keys: [ELSEWHERE.key] })
    for (const key of there) await send({ kind: 'put', key, upsert: true }, payloadOf(key, 3_000))
  }

  for (const { name, bytes, there, what } of CHANGES) {
    for (let step = 1; ; step += stride) {
      await prepare(there)
      const before = await takeSnapshot(verdicts, caller, [GROUP])
      await arena.service().tell({ arm: step })
      const done = await send(what, bytes > 0 ? payloadOf(A, bytes) : undefined)
      const told = await arena.service().tell({})
      if (told) {
        if (done.outcome !== 'ok') verdicts.violated('C10', `${name} without a kill: ${done.code}`)
        for (const kind of ['before a batch', 'at the answer to a batch', 'before the answer'])
          if (!told.names.includes(kind)) verdicts.violated('C10', `no step of ${name} is counted ${kind}`)
        print(`${name}: ${told.steps} steps, killed at ${Math.ceil((step - 1) / stride)} of them`)
        break
      }
      kills++
      await hurryEmptyings(store)
      await arena.start()
      await untilEmptied(store)
      const after = await takeSnapshot(verdicts, caller, [GROUP])
      checkHistory(verdicts, { history: [done], groups: [GROUP], before, after, written, excusesErrors: false })
      await checkRows(verdicts, store)
      arena.readLog()
    }
  }

  await prepare([])
  // now with the sweeper at work
  arena.place.env.STOWAGE_SWEEP_INTERVAL = '200ms'
  arena.service().kill('SIGTERM')
  await arena.service().exited
  await arena.start()
  await sleep(100)
  await lookClosely(arena, verdicts)
  return kills
}
