import { LRUCache } from 'lru-cache'

/** PostgreSQL keeps 30 to 50 bytes for each character of a prepared statement. */
const MOST_CHARACTERS = 16_000_000

/** A prepared statement of a connection, and how often it was used. */
export type Named = { readonly name: string; readonly role: string; readonly text: string; uses: number }

/** What one connection has prepared, for all roles together. Bounded: the least recently used is closed on the server too. */
export class PreparedNames {
  private readonly byRole = new Map<string, Map<string, Named>>()
  private readonly kept: LRUCache<string, Named>
  private counter = 0
  private evicted: string[] = []

  constructor(most: number) {
    this.kept = new LRUCache({
      max: most,
      maxSize: MOST_CHARACTERS,
      sizeCalculation: ({ text }) => text.length,
      dispose: ({ role, text }, name, why) => {
        const names = this.byRole.get(role)
        names?.delete(text)
        if (names?.size === 0) this.byRole.delete(role)
        if (why === 'evict') this.evicted.push(name)
      },
    })
  }

  find(role: string, text: string): Named | undefined {
    const named = this.byRole.get(role)?.get(text)
    if (named) this.kept.get(named.name)
    return named
  }

  add(role: string, text: string): Named {
    const named = { name: `s${++this.counter}`, role, text, uses: 0 }
    const names = this.byRole.get(role) ?? new Map<string, Named>()
    this.byRole.set(role, names.set(text, named))
    this.kept.set(named.name, named)
    return named
  }

  forget(role: string, text: string): void {
    const named = this.byRole.get(role)?.get(text)
    if (named) this.kept.delete(named.name)
  }

  forgetAll(): void {
    this.evicted.push(...this.kept.keys())
    this.kept.clear()
  }

  takeEvicted(): readonly string[] {
    if (this.evicted.length === 0) return []
    const names = this.evicted
    this.evicted = []
    return names
  }
}
