/** What went otherwise than the tour promised. */
export class Mismatch extends Error {}

let chapters = 0

/** @param {string} title */
export function chapter(title) {
  chapters++
  console.log(`\n${chapters}. ${title}`)
}

/** @param {string} text */
export const say = (text) => console.log(text.replaceAll(/^/gm, '   '))

/**
 * Says that something holds, or ends the tour.
 * @param {unknown} truth
 * @param {string} what
 * @param {unknown} [seen] shown when it does not hold
 */
export function check(truth, what, seen) {
  if (!truth) throw new Mismatch(seen === undefined ? what : `${what}\n   but this came: ${JSON.stringify(seen)?.slice(0, 2000)}`)
  say(`✓ ${what}`)
}

/**
 * The data of a client's answer, or the end of the tour.
 * @template T
 * @param {string} what
 * @param {PromiseLike<{ data: T, error: Error | null }>} call
 * @returns {Promise<NonNullable<T>>}
 */
export async function answer(what, call) {
  const { data, error } = await call
  if (error || data === null || data === undefined) throw new Mismatch(`${what}: ${error?.message ?? 'no answer'}`)
  return data
}

/**
 * Says that a client's call was refused, and with which words.
 * @param {string} what
 * @param {PromiseLike<{ data: unknown, error: Error | null }>} call
 */
export async function refused(what, call) {
  const { data, error } = await call
  if (!error) throw new Mismatch(`${what}: it was allowed, and must not be (${JSON.stringify(data)?.slice(0, 200)})`)
  say(`✓ ${what}: refused, "${error.message}"`)
}
