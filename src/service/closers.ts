/** What undoes the steps of a start, the last one first. */
export type Closers = { readonly add: (close: () => Promise<void>) => void; readonly closeAll: () => Promise<void> }

export function createClosers(): Closers {
  const closers: (() => Promise<void>)[] = []
  return {
    add: (close) => {
      closers.push(close)
    },
    closeAll: async () => {
      for (let close = closers.pop(); close; close = closers.pop()) await close()
    },
  }
}
