/** What is promised, by the checker that holds it. */
export const CHECKERS = /** @type {const} */ ({
  C1: 'a read returns what was written last (linearizable)',
  C2: 'a list has what was answered, and nothing that was never begun',
  C3: 'what was answered is there: bytes, size, type, ETag, list, info',
  C4: 'what was refused left nothing',
  C5: 'what was not answered is whole or absent, and stays so',
  C6: 'every row has its bytes',
  C7: 'no bytes without a row after a sweep',
  C8: 'a key is created once',
  C9: 'nobody reads what is not theirs',
  C10: 'the process stays well, and every request is answered or closed',
  C11: 'no secret is in the logs',
  C12: 'the database is whole',
})

/**
 * @typedef {keyof typeof CHECKERS} Checker
 * @typedef {object} Verdicts
 * @property {(checker: Checker, count?: number) => void} looked so many things were held against it
 * @property {(checker: Checker, what: string) => void} violated
 * @property {() => boolean} isClean
 * @property {() => readonly Checker[]} broken
 * @property {() => string} table
 */

const SHOWN = 8

/** @param {(line: string) => void} print told of violations as they are found @returns {Verdicts} */
export function createVerdicts(print) {
  /** @type {Map<Checker, { looked: number, violations: string[] }>} */
  const found = new Map()
  const of = (/** @type {Checker} */ checker) => {
    const known = found.get(checker) ?? { looked: 0, violations: [] }
    found.set(checker, known)
    return known
  }
  const broken = () => [...found].flatMap(([checker, { violations }]) => (violations.length > 0 ? [checker] : []))
  return {
    looked: (checker, count = 1) => {
      of(checker).looked += count
    },
    violated: (checker, what) => {
      const { violations } = of(checker)
      if (violations.length < SHOWN) print(`  RED ${checker}: ${what}`)
      violations.push(what)
    },
    isClean: () => broken().length === 0,
    broken,
    table: () =>
      Object.entries(CHECKERS)
        .map(([name, promise]) => {
          const { looked, violations } = of(/** @type {Checker} */ (name))
          const verdict = violations.length > 0 ? `RED, ${violations.length} times` : looked > 0 ? `held, ${looked} looks` : 'not looked at'
          return `${name.padEnd(4)} ${promise.padEnd(72)} ${verdict}`
        })
        .join('\n'),
  }
}
