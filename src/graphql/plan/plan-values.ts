import type { PgText } from '../../sqltext/sql.ts'
import { invalidBigFloat, invalidInput, tooLong, unexpectedInArray, unexpectedObject } from '../errors.ts'
import type { Json } from '../operation/json.ts'
import type { Variables } from '../operation/operation.ts'
import type { Value, ValueKind } from '../operation/value.ts'
import { valueAt, valueFrom } from '../operation/variables.ts'
import type { FieldType, LeafType } from '../schema/field-type.ts'
import type { ColumnField } from '../schema/role-schema.ts'
import type { BoundParam } from './plan.ts'
import type { PlanContext } from './plan-context.ts'

/** Decides by what a value is: that decision holds for other requests only while the variable is of that kind. */
export function kindOf(context: PlanContext, value: Value): ValueKind {
  if (value.origin) context.operation.guards.record({ origin: value.origin, fact: 'kind', kind: value.kind })
  return value.kind
}

export const isGiven = (context: PlanContext, value: Value | undefined): value is Value =>
  value !== undefined && kindOf(context, value) !== 'absent' && value.kind !== 'null'

/** The members of an input object that are not absent; other keys than `known` are refused by the caller. */
export function membersOf(context: PlanContext, value: Value & { readonly kind: 'object' }): ReadonlyMap<string, Value> {
  if (value.origin) context.operation.guards.record({ origin: value.origin, fact: 'keys', keys: [...value.fields.keys()] })
  return value.fields
}

/** A list's items; one value stands for a list of one (GraphQL specification 3.11). */
export function itemsOf(context: PlanContext, value: Value): readonly Value[] {
  if (kindOf(context, value) !== 'list' || value.kind !== 'list') return [value]
  if (value.origin) context.operation.guards.record({ origin: value.origin, fact: 'length', length: value.items.length })
  return value.items
}

/** A value to bind; it is converted anew when it, or a part of it, comes from variables. */
export const bind = (value: Value, convert: (value: Value) => PgText): BoundParam => bound(value, convert(value), convert)

const bound = (value: Value, text: PgText, convert: (value: Value) => PgText): BoundParam => ({
  text,
  rebind: hasOrigin(value) ? (variables) => convert(fromVariables(value, variables)) : null,
})

function hasOrigin(value: Value): boolean {
  if (value.origin) return true
  if (value.kind === 'list') return value.items.some(hasOrigin)
  return value.kind === 'object' && [...value.fields.values()].some(hasOrigin)
}

function fromVariables(value: Value, variables: Variables): Value {
  if (value.origin) return valueAt(variables, value.origin)
  if (value.kind === 'list') return { ...value, items: value.items.map((item) => fromVariables(item, variables)) }
  if (value.kind === 'object')
    return { ...value, fields: new Map([...value.fields].map(([key, field]) => [key, fromVariables(field, variables)])) }
  return value
}

/** A value for a column: as it was given, and as text that casts to the column's declared type. */
export type Given = { readonly value: Value; readonly text: PgText }

export const givenFor = (value: Value, { column, type }: ColumnField): Given => ({ value, text: pgText(value, type, column.maxLength) })

export const bindGiven = ({ value, text }: Given, { column, type }: ColumnField): BoundParam =>
  bound(value, text, (given) => pgText(given, type, column.maxLength))

/** Values of one column as one, the text of an array, whose elements `delimiter` separates. */
export function bindArray(given: readonly Given[], { column, type }: ColumnField, delimiter: string): BoundParam {
  const values = given.map(({ value }) => value)
  const rebind = (variables: Variables) =>
    arrayText(
      values.map((value) => pgText(fromVariables(value, variables), type, column.maxLength)),
      delimiter,
    )
  const text = arrayText(
    given.map((one) => one.text),
    delimiter,
  )
  return { text, rebind: values.some(hasOrigin) ? rebind : null }
}

/** Input coercion: structure only, PostgreSQL reads the text. Null and absent are SQL's null. */
export function pgText(value: Value, type: FieldType, maxLength: number | null): PgText {
  if (value.kind === 'null' || value.kind === 'absent') return null
  if (type.kind !== 'list') return leafText(value, type, maxLength)
  const items = value.kind === 'list' ? value.items : [value]
  return arrayText(
    items.map((item) => elementText(item, type.of)),
    type.of.pg.delimiter,
  )
}

function elementText(item: Value, type: LeafType): PgText {
  if (item.kind === 'null' || item.kind === 'absent') return null
  if (item.kind === 'list' && (type.kind === 'enum' || type.name === 'Opaque')) throw unexpectedInArray('array')
  if (item.kind === 'object' && type.kind === 'scalar' && type.name === 'Opaque') throw unexpectedInArray('object')
  return leafText(item, type, null)
}

/** PostgreSQL manual 8.15.2: elements in quotes may hold anything. */
export const arrayText = (elements: readonly PgText[], delimiter: string): string =>
  `{${elements.map((text) => (text === null ? 'NULL' : `"${text.replace(/["\\]/g, '\\$&')}"`)).join(delimiter)}}`

function leafText(value: Value, type: LeafType, maxLength: number | null): string {
  if (type.kind === 'enum') {
    const found = value.kind === 'string' && type.values.find(({ name }) => name === value.value)
    if (!found) throw invalidInput(type.name)
    return found.label
  }
  switch (type.name) {
    case 'Int':
      if (value.kind === 'number' && isInt64(value.text)) return value.text
      throw invalidInput('Int')
    case 'Float':
      if (value.kind === 'number') return value.text
      throw invalidInput('Float')
    case 'String':
      if (value.kind !== 'string') throw invalidInput(maxLength === null ? 'String(None)' : `String(Some(${maxLength}))`)
      if (maxLength !== null && utf8Length(value.value) > maxLength) throw tooLong(maxLength)
      return value.value
    case 'Boolean':
      if (value.kind === 'boolean') return String(value.value)
      throw invalidInput('Boolean')
    case 'BigInt':
      if (value.kind === 'number') return value.text
      if (value.kind === 'string') return value.value
      throw invalidInput('BigInt')
    case 'BigFloat':
      if (value.kind === 'string') return value.value
      throw invalidBigFloat()
    case 'Date':
    case 'Time':
    case 'Datetime':
    case 'UUID':
    case 'JSON':
      if (value.kind === 'string') return value.value
      throw invalidInput(type.name)
    default:
      return anyText(value)
  }
}

/** For what is not validated: opaque types and keys. */
export function anyText(value: Value): string {
  if (value.kind === 'string') return value.value
  if (value.kind === 'number') return value.text
  if (value.kind === 'boolean') return String(value.value)
  if (value.kind === 'list') throw unexpectedInArray('array')
  throw unexpectedObject()
}

/** null: no integer of 64 bits */
export const integerText = (value: Value): string | null => (value.kind === 'number' && isInt64(value.text) ? value.text : null)

/** The plan holds for this very number only (or for anything that is none). */
export function guardInteger(context: PlanContext, { origin }: Value, text: string | null): void {
  if (!origin) return
  const test = (json: Json | undefined) => (json === undefined ? null : integerText(valueFrom(json, origin))) === text
  context.operation.guards.record({ origin, fact: 'passes', test })
}

const isInt64 = (text: string): boolean => /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)

/** Bytes of the text in UTF-8: what pg_graphql measures. */
function utf8Length(text: string): number {
  let length = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return length
}
