/**
 * Work that serves everybody who asked before it began. Whoever asks while it runs waits for the next run, with all others who do;
 * work on one key never overlaps. A failure is told to all of its run.
 */
export function joinNext(work: (key: string) => Promise<void>): (key: string) => Promise<void> {
  const runs = new Map<string, { readonly running: Promise<void>; next: Promise<void> | null }>()
  const start = (key: string): Promise<void> => {
    const running = work(key)
    const run = { running, next: null }
    runs.set(key, run)
    const end = () => {
      if (runs.get(key) === run) runs.delete(key)
    }
    running.then(end, end)
    return running
  }
  return (key) => {
    const run = runs.get(key)
    if (!run) return start(key)
    run.next ??= run.running.then(
      () => start(key),
      () => start(key),
    )
    return run.next
  }
}
