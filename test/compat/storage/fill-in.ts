/** Values by name that a case's texts refer to. */
export type Names = ReadonlyMap<string, string>

/** `${name}`, `${name|encodeURI}`, `${name|queryOf}` (from its question mark on), and `${x*300}`: three hundred x. Unknown names stay. */
export function fillIn(text: string, names: Names): string {
  const repeated = text.replace(/\$\{(.)\*(\d+)\}/g, (_, character: string, count: string) => character.repeat(Number(count)))
  return repeated.replace(/\$\{([\w.-]+)(?:\|(\w+))?\}/g, (whole, name: string, filter?: string) => {
    const value = names.get(name)
    if (value === undefined) return whole
    if (filter === 'encodeURI') return encodeURI(value)
    return filter === 'queryOf' ? value.slice(value.indexOf('?')) : value
  })
}

/** The same in every text of a JSON value; `{"$times": 3, "of": "n${i}"}` becomes a list. */
export function fillInAll(value: unknown, names: Names): unknown {
  if (typeof value === 'string') return fillIn(value, names)
  if (Array.isArray(value)) return value.map((item) => fillInAll(item, names))
  if (typeof value !== 'object' || value === null) return value
  if ('$times' in value && 'of' in value) {
    return counted(Number(value.$times)).map((i) => fillInAll(value.of, new Map([...names, ['i', i]])))
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillInAll(item, names)]))
}

/** 000, 001, … */
export const counted = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => String(i).padStart(3, '0'))
