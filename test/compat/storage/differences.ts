import type { Expectation } from './case-file.ts'

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

/** What the placeholders of expectations stand for. */
const SHAPES: Readonly<Record<string, string>> = {
  uuid: UUID,
  version: '.+',
  etag: '"[^"]+"',
  cursor: '.+',
  token: '[\\w-]+\\.[\\w-]+\\.[\\w-]+',
  timestamp: '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z',
  'http-date': '[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT',
}
const PLACEHOLDER = new RegExp(`(<(?:${Object.keys(SHAPES).join('|')})(?::\\d+)?>)`)

/** Values of numbered placeholders of a case: the same number is the same value, another number another one. */
export type Bound = Map<string, string>

/** How an answer differs from the expected one, a line each; none: it is equal. */
export function differences(expected: Expectation, actual: Expectation, bound: Bound, keepsContent: boolean): readonly string[] {
  const out: string[] = []
  if (expected.rows || expected.error) {
    compare(expected.rows ?? expected.error, actual.rows ?? actual.error, 'sql', bound, out)
    return out
  }
  if (expected.status !== actual.status) out.push(`status: expected ${expected.status}, got ${actual.status}`)
  for (const [name, value] of Object.entries(expected.headers ?? {})) compare(value, actual.headers?.[name], `header ${name}`, bound, out)
  for (const name of expected.absent ?? []) {
    if (actual.headers?.[name] !== undefined) out.push(`header ${name}: not expected, got ${show(actual.headers[name])}`)
  }
  if (!keepsContent) return out
  for (const part of ['body', 'text', 'bytes', 'claims'] as const) {
    if (expected[part] !== undefined || actual[part] !== undefined) compare(expected[part], actual[part], part, bound, out)
  }
  return out
}

function compare(expected: unknown, actual: unknown, path: string, bound: Bound, out: string[]): void {
  if (typeof expected === 'string' && typeof actual === 'string') {
    if (!fits(expected, actual, bound)) out.push(`${path}: expected ${show(expected)}, got ${show(actual)}`)
  } else if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length) out.push(`${path}: expected ${expected.length} items, got ${actual.length}: ${show(actual)}`)
    else for (const [i, item] of expected.entries()) compare(item, actual[i], `${path}[${i}]`, bound, out)
  } else if (isPlain(expected) && isPlain(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)]))
      compare(expected[key], actual[key], `${path}.${key}`, bound, out)
  } else if (expected !== actual) out.push(`${path}: expected ${show(expected)}, got ${show(actual)}`)
}

const isPlain = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

function fits(expected: string, actual: string, bound: Bound): boolean {
  const names: string[] = []
  const pattern = expected.split(PLACEHOLDER).map((piece, i) => {
    if (i % 2 === 0) return piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    names.push(piece)
    return `(${SHAPES[piece.slice(1, -1).split(':')[0] ?? '']})`
  })
  const match = new RegExp(`^${pattern.join('')}$`, 's').exec(shortened(actual))
  return match !== null && names.every((name, i) => !name.includes(':') || binds(name, match[i + 1] ?? '', bound))
}

function binds(name: string, value: string, bound: Bound): boolean {
  const known = bound.get(name)
  if (known !== undefined) return known === value
  const kind = name.split(':', 1)[0]
  for (const [other, taken] of bound) if (other.startsWith(`${kind}:`) && taken === value) return false
  bound.set(name, value)
  return true
}

/** A run of one character, 80 and more, is recorded as `${x*101}`. */
const shortened = (text: string): string => text.replace(/(.)\1{79,}/g, (run, character: string) => `\${${character}*${run.length}}`)

const show = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 300)
