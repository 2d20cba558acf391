/** One call at a time per key: callers that come while it runs share its outcome. */
export function singleFlight<Key, Value>(work: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const running = new Map<Key, Promise<Value>>()
  return (key) => {
    const started = running.get(key)
    if (started) return started
    const flight = work(key).finally(() => running.delete(key))
    running.set(key, flight)
    return flight
  }
}
