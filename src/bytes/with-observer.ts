import type { ByteStore } from './byte-store.ts'

export type StoreObserver = {
  /** does the work and tells how long it took */
  readonly timed: <T>(work: () => Promise<T>) => Promise<T>
  readonly moved: (operation: 'put' | 'get' | 'copy', bytes: number) => void
}

/** The same store, watched. What is read is counted when it is asked for: every reader of a stored byte names a range. */
export function withObserver(store: ByteStore, { timed, moved }: StoreObserver): ByteStore {
  return {
    ...store,
    put: async (version, body, options) => {
      const stored = await timed(() => store.put(version, body, options))
      moved('put', stored.size)
      return stored
    },
    get: async (version, options) => {
      const body = await timed(() => store.get(version, options))
      if (options.range) moved('get', options.range.last - options.range.first + 1)
      return body
    },
    copy: async (from, to, options) => {
      const stored = await timed(() => store.copy(from, to, options))
      moved('copy', stored.size)
      return stored
    },
  }
}
