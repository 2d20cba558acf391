const leavers = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * What is called when the signal aborts, for a signal that serves many in turn, a client's connection: to come and go here costs a tenth of
 * what `addEventListener` and `removeEventListener` do.
 */
export function leaversOf(signal: AbortSignal): Set<() => void> {
  const known = leavers.get(signal)
  if (known) return known
  const all = new Set<() => void>()
  leavers.set(signal, all)
  signal.addEventListener(
    'abort',
    () => {
      for (const leave of all) leave()
    },
    { once: true },
  )
  return all
}
