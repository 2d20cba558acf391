import { linearize } from './linearize.js'
import { cellOf, keyOfState, stateOf, stepsOf } from './object-model.js'
import { cellsOf } from './world.js'

/**
 * Holds a round's history against what was there before and what was found after it, when nothing was under way.
 *
 * @typedef {import('./operation.js').Done} Done
 * @typedef {import('./world.js').Group} Group
 * @typedef {import('./verdicts.js').Verdicts} Verdicts
 * @typedef {Readonly<Record<string, string>>} Snapshot the value of each cell that holds one
 */

const FAULTS = /** @type {const} */ ({ read: 'C3', owner: 'C9', answer: 'C10', late: 'C10' })

/**
 * @param {Verdicts} verdicts
 * @param {object} round
 * @param {readonly Done[]} round.history
 * @param {readonly Group[]} round.groups
 * @param {Snapshot} round.before
 * @param {Snapshot} round.after
 * @param {ReadonlySet<string>} round.written every value that anybody ever began to write
 * @param {boolean} round.excusesErrors whether answers 500 are this fault's own
 */
export function checkHistory(verdicts, { history, groups, before, after, written, excusesErrors }) {
  for (const done of history) {
    if (done.operation.kind === 'spy') checkSpy(verdicts, done)
    if (!done.fault || !done.faultKind || (done.faultKind === 'answer' && excusesErrors)) continue
    verdicts.violated(FAULTS[done.faultKind], `#${done.operation.id}: ${done.fault}`)
  }
  verdicts.looked('C10', history.length)
  checkRefused(verdicts, history, after)
  for (const group of groups) {
    const own = history.filter(({ operation }) => operation.group === group.name && operation.kind !== 'spy')
    checkLists(verdicts, own, group, written)
    checkCreates(verdicts, own)
    checkOrder(verdicts, group, own, before, after)
  }
}

/** @param {Verdicts} verdicts @param {Done} done */
function checkSpy(verdicts, { operation, outcome }) {
  verdicts.looked('C9')
  if (outcome === 'ok') verdicts.violated('C9', `#${operation.id}: ${operation.as} was given ${operation.bucket}/${operation.key}`)
}

/** @param {Verdicts} verdicts @param {readonly Done[]} history @param {Snapshot} after */
function checkRefused(verdicts, history, after) {
  const refused = new Map(
    history.flatMap(({ operation, outcome }) =>
      operation.kind === 'put' && outcome === 'fail' ? [/** @type {const} */ ([operation.value ?? '', operation.id])] : [],
    ),
  )
  verdicts.looked('C4', refused.size)
  const seen = [...Object.values(after), ...history.flatMap(({ operation, value }) => (operation.kind === 'get' && value ? [value] : []))]
  for (const value of seen) if (refused.has(value)) verdicts.violated('C4', `#${refused.get(value)} was refused, and its bytes were read`)
}

/** @param {Verdicts} verdicts @param {readonly Done[]} own @param {Group} group @param {ReadonlySet<string>} written */
function checkLists(verdicts, own, group, written) {
  const cells = new Set(cellsOf(group))
  for (const { operation, outcome, values = {} } of own) {
    if (operation.kind !== 'list' || outcome !== 'ok') continue
    verdicts.looked('C2')
    for (const [key, value] of Object.entries(values)) {
      if (!cells.has(cellOf(operation.bucket, key)))
        verdicts.violated('C2', `#${operation.id} lists ${operation.bucket}/${key}, which nobody wrote`)
      else if (!written.has(value))
        verdicts.violated('C2', `#${operation.id} lists ${operation.bucket}/${key} with the ETag ${value}, which nobody wrote`)
    }
  }
}

/** Between two creations of one key that were answered, something may have removed it. @param {Verdicts} verdicts @param {readonly Done[]} own */
function checkCreates(verdicts, own) {
  const creates = own.filter(({ operation: { kind, upsert }, outcome }) => kind === 'put' && !upsert && outcome === 'ok')
  verdicts.looked('C8', creates.length)
  const removals = own.filter(({ operation: { kind }, outcome }) => REMOVING.has(kind) && outcome !== 'fail')
  const last = new Map()
  for (const create of [...creates].sort((a, b) => a.end - b.end)) {
    const { bucket, key = '' } = create.operation
    const cell = cellOf(bucket, key)
    const earlier = last.get(cell)
    last.set(cell, create)
    if (!earlier) continue
    const isRemoved = removals.some(({ operation, call, end, outcome }) => {
      const touches = operation.bucket === bucket && (operation.key === key || operation.keys?.includes(key) || operation.kind === 'empty')
      return touches && call < create.end && (outcome === 'info' || end > earlier.call)
    })
    if (!isRemoved) verdicts.violated('C8', `#${earlier.operation.id} and #${create.operation.id} both created ${cell}`)
  }
}

const REMOVING = new Set(['delete', 'bulk delete', 'move', 'empty'])

/** @param {Verdicts} verdicts @param {Group} group @param {readonly Done[]} own @param {Snapshot} before @param {Snapshot} after */
function checkOrder(verdicts, group, own, before, after) {
  const cells = cellsOf(group)
  const only = (/** @type {Snapshot} */ all) => Object.fromEntries(Object.entries(all).filter(([cell]) => cells.includes(cell)))
  const found = only(after)
  const settled = own.filter(({ outcome, operation }) => outcome !== 'info' || !READING.has(operation.kind))
  const steps = stepsOf(settled, { bucketsMove: false, cells })
  const now = Math.max(0, ...own.map(({ end }) => end)) + 1
  /** @type {import('./object-model.js').Step} */
  const finding = {
    name: `what is there afterwards: ${describe(found)}`,
    call: now,
    end: now + 1,
    isPure: true,
    apply: (state) => (cells.every((cell) => state.cells[cell]?.value === found[cell]) ? state : null),
  }
  const result = linearize(stateOf(only(before)), [...steps, finding], keyOfState)
  verdicts.looked('C1', own.length)
  verdicts.looked('C3', cells.length)
  verdicts.looked('C5', own.filter(({ outcome }) => outcome === 'info').length)
  if (result.verdict === 'linearizable') return
  if (result.verdict === 'undecided') return verdicts.violated('C1', `${group.name} could not be judged: ${result.why}`)
  const isFinal = result.step === finding
  const states = result.states.map((state) =>
    describe(Object.fromEntries(Object.entries(state.cells).map(([cell, held]) => [cell, held.value]))),
  )
  const under = result.pending.map(({ name }) => name).join('; ')
  const what = `${group.name}: ${result.step.name}; possible: ${[...new Set(states)].join(' or ')}; under way: ${under || 'nothing'}`
  verdicts.violated(isFinal ? 'C3' : 'C1', what)
}

const READING = new Set(['get', 'list', 'get bucket', 'graphql insert'])

/** @param {Snapshot} values */
const describe = (values) =>
  Object.entries(values)
    .map(([cell, value]) => `${cell}=${value.slice(0, 8)}`)
    .join(' ') || 'nothing'
