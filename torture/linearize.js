/**
 * Is there an order of what happened, each step at one moment between its call and its return, in which every answer is right? The search
 * of Wing and Gong with the memo of Lowe: walk through calls and returns in time; a step happens when its return (or that of a step that
 * needs it) asks for it; where nothing fits, go back and try what else could have happened.
 *
 * @template S
 * @typedef {object} Step
 * @property {string} name for people
 * @property {number} call
 * @property {number} end when it had certainly happened; Infinity: nobody knows whether it ever did
 * @property {Step<S>} [after] a step of the same operation that comes before this one
 * @property {boolean} isPure it looks and changes nothing, or once it changes nothing it never will: then it costs nothing to do it at once
 * @property {(state: S) => S | null} apply the state behind it, the same one for a pure step; null: it cannot happen here
 */

/**
 * @template S
 * @typedef {{ readonly verdict: 'linearizable' } | { readonly verdict: 'undecided', readonly why: string }
 *   | { readonly verdict: 'violated', readonly step: Step<S>, readonly states: readonly S[], readonly pending: readonly Step<S>[] }} Finding
 */

/** A step under way, and its bit. @template S @typedef {{ readonly step: Step<S>, readonly bit: number, readonly after: number }} Pending */
/** @template S @typedef {{ readonly step: Step<S>, readonly isCall: boolean, readonly bit: number, readonly pending: readonly Pending<S>[] }} Happening */
/** The state, and which of the steps under way have happened, as a sum of their bits. @template S @typedef {{ readonly state: S, readonly done: number }} Point */

/** A double holds so many bits exactly. */
const MOST_PENDING = 52
const MOST_TRIES = 20_000_000
const STATES_SHOWN = 5

const has = (/** @type {number} */ done, /** @type {number} */ bit) => Math.floor(done / bit) % 2 === 1

/**
 * @template S
 * @param {S} initial
 * @param {readonly Step<S>[]} steps
 * @param {(state: S) => string} keyOf equal texts are equal states
 * @returns {Finding<S>}
 */
export function linearize(initial, steps, keyOf) {
  const happenings = inTime(steps)
  if (!happenings) return { verdict: 'undecided', why: `more than ${MOST_PENDING} steps under way at once` }
  let tries = 0
  let furthest = 0
  /** @type {S[]} */
  let states = []
  /** @type {Set<string>} points that were tried, by the happening behind which they lie */
  const tried = new Set()

  /** The points behind a return, the likeliest first. @param {Point<S>} point @param {Happening<S>} happening @returns {Generator<Point<S>>} */
  function* behind(point, { bit: target, pending }) {
    const seen = new Set()
    const stack = [point]
    for (let at = stack.pop(); at; at = stack.pop()) {
      if (has(at.done, target)) {
        yield { state: at.state, done: at.done - target }
        continue
      }
      /** @type {Point<S>[]} */
      const next = []
      for (const { step, bit, after } of pending) {
        if (has(at.done, bit) || (after > 0 && !has(at.done, after))) continue
        tries++
        const state = step.apply(at.state)
        if (state === null) continue
        const reached = withPure({ state, done: at.done + bit }, pending)
        const key = `${reached.done} ${keyOf(reached.state)}`
        if (seen.has(key)) continue
        seen.add(key)
        next.push(reached)
      }
      // what is pushed last is tried first: that which answers the question at once, and then what began earlier
      stack.push(...next.filter(({ done }) => !has(done, target)).reverse(), ...next.filter(({ done }) => has(done, target)).reverse())
    }
  }

  /** @type {{ readonly index: number, readonly points: Generator<Point<S>> }[]} */
  const choices = []
  /** @type {Point<S> | undefined} */
  let point = { state: initial, done: 0 }
  let index = 0
  for (;;) {
    const happening = happenings[index]
    if (!happening) return { verdict: 'linearizable' }
    if (point && happening.isCall) {
      if (happening.step.isPure) point = withPure(point, happening.pending)
      index++
      continue
    }
    if (point) {
      if (index > furthest) states = []
      furthest = Math.max(furthest, index)
      if (index === furthest && states.length < STATES_SHOWN) states.push(point.state)
      choices.push({ index, points: behind(point, happening) })
    }
    const choice = choices.at(-1)
    if (!choice) break
    if (tries > MOST_TRIES) return { verdict: 'undecided', why: `more than ${MOST_TRIES} ways were tried` }
    const { value, done: isSpent } = choice.points.next()
    point = undefined
    if (isSpent) choices.pop()
    else {
      const key = `${choice.index} ${value.done} ${keyOf(value.state)}`
      if (tried.has(key)) continue
      tried.add(key)
      point = value
      index = choice.index + 1
    }
  }
  const failed = /** @type {Happening<S>} */ (happenings[furthest])
  return { verdict: 'violated', step: failed.step, states, pending: failed.pending.map(({ step }) => step) }
}

/**
 * @template S
 * @param {Point<S>} point
 * @param {readonly Pending<S>[]} pending
 * @returns {Point<S>}
 */
function withPure({ state, done }, pending) {
  for (let again = true; again; ) {
    again = false
    for (const { step, bit, after } of pending) {
      if (!step.isPure || has(done, bit) || (after > 0 && !has(done, after)) || step.apply(state) !== state) continue
      done += bit
      again = true
    }
  }
  return { state, done }
}

/**
 * Calls and returns in time, each with the steps under way at that moment; null: too many at once. Where both fall on one moment the call
 * comes first: nothing says that the return was earlier.
 * @template S
 * @param {readonly Step<S>[]} steps
 * @returns {Happening<S>[] | null}
 */
function inTime(steps) {
  const events = steps.flatMap((step) => [
    { step, at: step.call, isCall: true },
    ...(step.end === Number.POSITIVE_INFINITY ? [] : [{ step, at: step.end, isCall: false }]),
  ])
  events.sort((a, b) => a.at - b.at || Number(b.isCall) - Number(a.isCall))
  /** @type {Map<Step<S>, Pending<S>>} */
  const under = new Map()
  const free = Array.from({ length: MOST_PENDING }, (_, slot) => 2 ** slot).reverse()
  /** @type {Happening<S>[]} */
  const happenings = []
  for (const { step, isCall } of events) {
    if (isCall) {
      const bit = free.pop()
      if (bit === undefined) return null
      // one that has returned is under way no more, and has happened
      under.set(step, { step, bit, after: (step.after && under.get(step.after)?.bit) ?? 0 })
    }
    const bit = under.get(step)?.bit ?? 0
    happenings.push({ step, isCall, bit, pending: [...under.values()] })
    if (isCall) continue
    under.delete(step)
    free.push(bit)
    for (const [other, pending] of under) if (other.after === step) under.set(other, { ...pending, after: 0 })
  }
  return happenings
}
