/** Computed at the first call, then remembered. */
export function lazy<T>(compute: () => T): () => T {
  let known: { readonly value: T } | null = null
  return () => {
    known ??= { value: compute() }
    return known.value
  }
}
