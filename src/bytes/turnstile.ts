/** At most `most` pieces of work at a time; the others wait in order of arrival. */
export function createTurnstile(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let inside = 0
  return async (work) => {
    if (inside >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else inside++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else inside--
    }
  }
}
