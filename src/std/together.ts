import { singleFlight } from './single-flight.ts'

/**
 * One call at a time for any number of keys: those that come while it runs go together into the next one, up to `most` of them. Whoever
 * asks for a key that is under way shares its outcome; a failure is told to all of its call.
 */
export function together<Key, Value>(
  work: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
  most: number,
): (key: Key) => Promise<Value | undefined> {
  type Call = { readonly keys: Key[]; readonly outcome: Promise<ReadonlyMap<Key, Value>> }
  let gathering: Call | null = null
  let last: Promise<unknown> = Promise.resolve()

  const gather = (): Call => {
    const keys: Key[] = []
    const outcome = last.then(() => {
      if (gathering === call) gathering = null
      return work(keys)
    })
    const call = { keys, outcome }
    last = outcome.catch(() => undefined)
    return call
  }

  return singleFlight(async (key) => {
    if (gathering === null || gathering.keys.length >= most) gathering = gather()
    gathering.keys.push(key)
    return (await gathering.outcome).get(key)
  })
}
