import { badCursor, cursorTooLong, invalidInput, notUnsigned, onlyOneOf, onlyWith } from '../errors.ts'
import type { Json } from '../operation/json.ts'
import type { Value } from '../operation/value.ts'
import { isJsonList } from '../operation/variables.ts'
import { decodeBase64Json } from './decode-base64-json.ts'
import { keyText } from './key-text.ts'
import type { BoundParam, CursorValue, OrderTerm, Page } from './plan.ts'
import type { PlanContext } from './plan-context.ts'
import { bind, guardInteger, integerText, isGiven, kindOf } from './plan-values.ts'

export type PageArguments = {
  readonly first: Value | undefined
  readonly last: Value | undefined
  readonly offset: Value | undefined
  readonly before: Value | undefined
  readonly after: Value | undefined
}

/** The paging arguments, checked in pg_graphql's order; the page is capped by `maxRows`. */
export function readPage(context: PlanContext, args: PageArguments, maxRows: number): (order: readonly OrderTerm[]) => Page {
  const first = unsigned(context, 'first', args.first)
  const last = unsigned(context, 'last', args.last)
  const offset = unsignedParam(context, args.offset)
  const before = cursorOf(context, args.before)
  const after = cursorOf(context, args.after)
  if (first !== null && last !== null) throw onlyOneOf('first', 'last')
  if (before && after) throw onlyOneOf('before', 'after')
  if (first !== null && before) throw onlyWith('first', '"after"')
  if (last !== null && after) throw onlyWith('last', '"before"')
  if (offset && (last !== null || before)) throw onlyWith('offset', '"first" and "after"')
  const rows = Math.min(first ?? last ?? maxRows, maxRows)
  const cursor = before ?? after
  return (order) => ({
    rows,
    from: last !== null || before ? 'end' : 'start',
    offset,
    cursor: cursor && cursorValues(context, cursor, order),
  })
}

/** A page size stands in the SQL itself, since the planner must know it: the plan holds for this number only. */
function unsigned(context: PlanContext, name: string, value: Value | undefined): number | null {
  if (!isGiven(context, value)) return null
  const text = requireInteger(value)
  guardInteger(context, value, text)
  if (text.startsWith('-') && text !== '-0') throw notUnsigned(name)
  return Number(text)
}

function unsignedParam(context: PlanContext, value: Value | undefined): BoundParam | null {
  if (!isGiven(context, value)) return null
  return bind(value, (given) => {
    const text = requireInteger(given)
    if (text.startsWith('-') && text !== '-0') throw notUnsigned('offset')
    return text
  })
}

function requireInteger(value: Value): string {
  const text = integerText(value)
  if (text === null) throw invalidInput('Int')
  return text
}

type Cursor = { readonly value: Value; readonly elements: readonly Json[] }

function cursorOf(context: PlanContext, value: Value | undefined): Cursor | null {
  if (!isGiven(context, value)) return null
  if (kindOf(context, value) !== 'string' || value.kind !== 'string') throw invalidInput('Cursor')
  return { value, elements: decodeCursor(value.value) }
}

/** Base64 of a JSON array: the values of the order's first columns. */
function decodeCursor(text: string): readonly Json[] {
  const decoded = decodeBase64Json(text)
  if ('fault' in decoded) throw badCursor(decoded.fault === 'base64' ? 1 : decoded.fault === 'utf-8' ? 2 : 3)
  if (!isJsonList(decoded.json)) throw badCursor(4)
  return decoded.json
}

/** How many values the cursor has and which are null decides the predicate. */
function cursorValues(context: PlanContext, { value, elements }: Cursor, order: readonly OrderTerm[]): readonly CursorValue[] {
  if (elements.length > order.length) throw cursorTooLong()
  if (value.origin) {
    const shape = shapeOf(elements)
    context.operation.guards.record({
      origin: value.origin,
      fact: 'passes',
      test: (json) => typeof json === 'string' && shapeOf(decodeCursor(json)) === shape,
    })
  }
  return elements.map((element, i): CursorValue => {
    if (element === null) return { isNull: true }
    const isArray = order[i]?.column.type.element != null
    return {
      isNull: false,
      operand: bind(value, (given) => keyText(given.kind === 'string' ? decodeCursor(given.value)[i] : undefined, isArray)),
    }
  })
}

const shapeOf = (elements: readonly Json[]): string => elements.map((element) => (element === null ? 'n' : 'v')).join('')
