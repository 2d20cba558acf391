/** Does the work of every item, so many at a time; ends early when one throws, after those under way have ended. */
export async function inParallel<T>(items: AsyncIterable<T> | Iterable<T>, most: number, work: (item: T) => Promise<void>): Promise<void> {
  const going = new Set<Promise<void>>()
  const failures: unknown[] = []
  try {
    for await (const item of items) {
      const one: Promise<void> = work(item)
        .catch((error) => {
          failures.push(error)
        })
        .finally(() => going.delete(one))
      going.add(one)
      if (going.size >= most) await Promise.race(going)
      if (failures.length > 0) break
    }
  } finally {
    await Promise.all(going)
  }
  if (failures.length > 0) throw failures[0]
}
