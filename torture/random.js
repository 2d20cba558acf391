/**
 * Chance that one seed decides: the same seed gives the same schedule, operations and payloads.
 * @typedef {object} Random
 * @property {() => number} next from 0 to below 1
 * @property {(below: number) => number} below a whole number
 * @property {<T>(from: readonly T[]) => T} pick
 * @property {(weights: Readonly<Record<string, number>>) => string} weigh a name, as often as its weight says
 * @property {(name: string | number) => Random} fork one of its own for somebody who draws at a pace of his own
 */

/**
 * @param {string | number} seed
 * @returns {Random}
 */
export function createRandom(seed) {
  let state = hash(String(seed))
  const next = () => {
    // splitmix32
    state = (state + 0x9e3779b9) | 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
  const below = (/** @type {number} */ limit) => Math.floor(next() * limit)
  return {
    next,
    below,
    pick: (from) => {
      const [first] = from
      const picked = from[below(from.length)] ?? first
      if (picked === undefined) throw new Error('nothing to pick from')
      return picked
    },
    weigh: (weights) => {
      const entries = Object.entries(weights)
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [name, weight] of entries) {
        left -= weight
        if (left < 0) return name
      }
      return entries[0]?.[0] ?? ''
    },
    fork: (name) => createRandom(`${seed}/${name}`),
  }
}

/** @param {string} text FNV-1a */
function hash(text) {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value
}
