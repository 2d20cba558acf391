import { invalidParameter } from '../errors.ts'
import type { Order, PageQuery, PageStart } from '../rows/list.sql.ts'

export type Cursor = { readonly after: PageStart; readonly order: PageQuery['order'] | null }

const MEMBER = /^([locae]):(.*)$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/

/**
 * Where the next page goes on, for a client to give back: base64 of lines, `l` the last name, `o` and `c` the order, `a` the last time.
 * A name with line breaks, which only SQL can have made, is percent-encoded as `e`.
 */
export function writeCursor({ name, time }: PageStart, { column, direction }: PageQuery['order']): string {
  const last = /[\r\n]/.test(name) ? `e:${encodeURIComponent(name)}` : `l:${name}`
  const lines = [last, `o:${direction}`, `c:${column}`, ...(time === null ? [] : [`a:${time}`])]
  return Buffer.from(lines.join('\n'), 'utf8').toString('base64')
}

/** What {@link writeCursor} wrote; `o`, `c` and `a` may be missing. @throws InvalidParameter */
export function readCursor(text: string): Cursor {
  const members = new Map<string, string>()
  for (const line of textOf(Buffer.from(text, 'base64')).split('\n')) {
    const [, letter, value] = MEMBER.exec(line) ?? []
    if (letter === undefined || value === undefined) throw invalid()
    members.set(letter, value)
  }
  const name = members.get('l') ?? decoded(members.get('e'))
  if (name === null || name.includes('\0')) throw invalid()
  const order = orderOf(members.get('c'), members.get('o'))
  const time = order && order.column !== 'name' ? timeOf(members.get('a')) : null
  return { after: { name, time }, order }
}

function orderOf(column = 'name', direction: string | undefined): Order<'name' | 'updated_at' | 'created_at'> | null {
  if (direction === undefined && column === 'name') return null
  if (direction !== undefined && direction !== 'asc' && direction !== 'desc') throw invalid()
  if (column !== 'name' && column !== 'updated_at' && column !== 'created_at') throw invalid()
  return { column, direction: direction ?? 'asc' }
}

/** Days that the calendar does not have roll over in JavaScript and are refused by PostgreSQL: here already. */
function timeOf(text = ''): string {
  if (text === '-infinity' || text === 'infinity') return text
  const date = new Date(text)
  if (!TIME.test(text) || Number.isNaN(date.getTime()) || date.toISOString().slice(0, 19) !== text.slice(0, 19)) throw invalid()
  return text
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw invalid()
  }
}

function decoded(text: string | undefined): string | null {
  if (text === undefined) return null
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

const invalid = () => invalidParameter('Invalid Parameter continuation token')
