import { assertNever } from '../../std/assert-never.ts'
import type { Steps } from '../../std/in-turns.ts'
import { invariant } from '../../std/invariant.ts'
import {
  introspectionLimitExceeded,
  noSpecifiedByUrl,
  typeNameMissing,
  typeNameNotText,
  unknownDirectiveField,
  unknownEnumValueField,
  unknownFieldField,
  unknownInputValueField,
  unknownSchemaField,
  unknownTypeField,
} from '../errors.ts'
import { collectFields } from '../operation/collect-fields.ts'
import type { GraphqlLimits } from '../operation/limits.ts'
import type { Operation, SelectedField } from '../operation/operation.ts'
import type {
  DirectiveDefinition,
  FieldDefinition,
  InputValueDefinition,
  IntrospectedTypes,
  TypeDefinition,
  TypeRef,
} from '../schema/type-system.ts'

/**
 * The value of a root field `__schema` or `__type`, as JSON text with keys in the order of the selection.
 *
 * pg_graphql's conventions: `interfaces` and `enumValues` are never null, nothing is deprecated, arguments are not checked, and
 * `__typename` is the name of what is described. It knows neither `specifiedByURL` nor `isOneOf`: `__type` refuses them as it
 * does; `__schema` answers them, since tools ask for them in the introspection they build a client's schema from.
 *
 * In steps, a type each.
 * @throws GraphqlError `data: 'null'`
 */
export function* answerIntrospection(
  types: IntrospectedTypes,
  operation: Operation,
  field: SelectedField,
  limits: GraphqlLimits,
): Steps<string> {
  const answering: Answering = {
    types,
    operation,
    limits,
    root: field,
    fields: new Map(),
    texts: new Map(),
    objects: 0,
    mostObjects: mostObjects(types, limits),
  }
  if (field.name === '__schema') return yield* schemaText(answering, field)
  const definition = types.types.get(requestedName(operation, field))
  return definition ? typeText(answering, { kind: 'definition', definition }, field, 0) : 'null'
}

type Answering = {
  readonly types: IntrospectedTypes
  readonly operation: Operation
  readonly limits: GraphqlLimits
  readonly root: SelectedField
  /** by the selection they come from */
  readonly fields: Map<Selections, readonly Answered[]>
  /** types by the selection asked of them and by their name: the same reference is answered thousands of times */
  readonly texts: Map<Selections, Map<string, string>>
  objects: number
  readonly mostObjects: number
}

type Selections = SelectedField['selections']

/** A selected field and its key as JSON text. */
type Answered = { readonly field: SelectedField; readonly key: string }

type AnyType = { readonly kind: 'definition'; readonly definition: TypeDefinition } | Exclude<TypeRef, { readonly kind: 'named' }>

function requestedName({ guards }: Operation, field: SelectedField): string {
  const name = field.args.find((argument) => argument.name === 'name')?.value
  if (name?.origin)
    guards.record({
      origin: name.origin,
      ...(name.kind === 'string' ? { fact: 'equals', value: name.value } : { fact: 'kind', kind: name.kind }),
    })
  if (!name || name.kind === 'absent' || name.kind === 'null') throw typeNameMissing(field)
  if (name.kind !== 'string') throw typeNameNotText(field)
  return name.value
}

function* schemaText(answering: Answering, of: SelectedField): Steps<string> {
  countObject(answering)
  let text = ''
  for (const { field, key } of fieldsOf(answering, '__Schema', of)) {
    // of all lists this one is as long as the schema is large
    const value = field.name === 'types' ? yield* everyTypeText(answering, field) : schemaFieldText(answering, field)
    text += `${text ? ',' : '{'}${key}:${value}`
  }
  return bounded(answering, text ? `${text}}` : '{}')
}

function schemaFieldText(answering: Answering, field: SelectedField): string {
  const { types } = answering
  switch (field.name) {
    case 'description':
      return JSON.stringify('Represents the GraphQL schema of the database')
    case 'queryType':
      return namedTypeText(answering, types.query, field, 0)
    case 'mutationType':
      return types.mutation === null ? 'null' : namedTypeText(answering, types.mutation, field, 0)
    case 'subscriptionType':
      return 'null'
    case 'directives':
      return listText(answering, types.directives, (directive) => directiveText(answering, directive, field, 0))
    case '__typename':
      return '"__schema"'
    default:
      throw unknownSchemaField(field.name, field)
  }
}

function* everyTypeText(answering: Answering, of: SelectedField): Steps<string> {
  let text = ''
  for (const definition of answering.types.types.values()) {
    text = bounded(answering, `${text}${text ? ',' : '['}${typeText(answering, { kind: 'definition', definition }, of, 0)}`)
    yield
  }
  return text ? `${text}]` : '[]'
}

function namedTypeText(answering: Answering, name: string, of: SelectedField, depth: number): string {
  const definition = answering.types.types.get(name) ?? answering.types.unlisted?.get(name)
  invariant(definition, `type ${name} is referred to and not defined`)
  return typeText(answering, { kind: 'definition', definition }, of, depth)
}

const refText = (answering: Answering, ref: TypeRef, of: SelectedField, depth: number): string =>
  ref.kind === 'named' ? namedTypeText(answering, ref.name, of, depth) : typeText(answering, ref, of, depth)

function typeText(answering: Answering, type: AnyType, of: SelectedField, depth: number): string {
  let texts = answering.texts.get(of.selections)
  if (!texts) {
    texts = new Map()
    answering.texts.set(of.selections, texts)
  }
  const name = nameOf(type)
  const known = texts.get(name)
  if (known !== undefined) return known
  const text = objectText(answering, '__Type', of, (field) => typeFieldText(answering, type, field, depth))
  texts.set(name, text)
  return text
}

/** `[Book!]!`: tells any two types apart */
function nameOf(type: AnyType | TypeRef): string {
  switch (type.kind) {
    case 'definition':
      return type.definition.name
    case 'named':
      return type.name
    case 'list':
      return `[${nameOf(type.of)}]`
    case 'non null':
      return `${nameOf(type.of)}!`
    default:
      return assertNever(type)
  }
}

function typeFieldText(answering: Answering, type: AnyType, field: SelectedField, depth: number): string {
  const definition = type.kind === 'definition' ? type.definition : null
  const deeper = () => listDepth(answering, field, depth)
  switch (field.name) {
    case 'kind':
      return `"${kindOf(type)}"`
    case 'name':
    case '__typename':
      return jsonText(definition?.name ?? null)
    case 'description':
      return jsonText(definition?.description ?? null)
    case 'fields':
      if (definition?.kind !== 'object' && definition?.kind !== 'interface') return 'null'
      return listText(answering, definition.fields, (member) => fieldText(answering, member, field, deeper()))
    case 'inputFields':
      if (definition?.kind !== 'input object') return 'null'
      return listText(answering, definition.fields, (member) => inputValueText(answering, member, field, deeper()))
    case 'interfaces':
      if (definition?.kind !== 'object') return '[]'
      return listText(answering, definition.interfaces, (name) => namedTypeText(answering, name, field, deeper()))
    case 'enumValues':
      if (definition?.kind !== 'enum') return '[]'
      return listText(answering, definition.values, (value) => enumValueText(answering, value, field))
    case 'possibleTypes':
      if (definition?.kind !== 'interface') return 'null'
      return listText(answering, definition.possibleTypes, (name) => namedTypeText(answering, name, field, deeper()))
    case 'ofType':
      return type.kind === 'definition' ? 'null' : refText(answering, type.of, field, depth)
    case 'specifiedByURL':
      if (answering.root.name === '__schema') return 'null'
      throw noSpecifiedByUrl(field)
    case 'isOneOf':
      if (answering.root.name === '__schema') return definition?.kind === 'input object' ? 'false' : 'null'
      throw unknownTypeField(field.name, field)
    default:
      throw unknownTypeField(field.name, field)
  }
}

function kindOf(type: AnyType): string {
  switch (type.kind) {
    case 'list':
      return 'LIST'
    case 'non null':
      return 'NON_NULL'
    case 'definition':
      return type.definition.kind === 'input object' ? 'INPUT_OBJECT' : type.definition.kind.toUpperCase()
    default:
      return assertNever(type)
  }
}

const fieldText = (answering: Answering, definition: FieldDefinition, of: SelectedField, depth: number): string =>
  objectText(answering, '__Field', of, (field) => {
    switch (field.name) {
      case 'name':
      case '__typename':
        return JSON.stringify(definition.name)
      case 'description':
        return jsonText(definition.description)
      case 'args':
        return listText(answering, definition.args, (argument) => inputValueText(answering, argument, field, depth))
      case 'type':
        return refText(answering, definition.type, field, depth)
      case 'isDeprecated':
        return 'false'
      case 'deprecationReason':
        return 'null'
      default:
        throw unknownFieldField(field.name, field)
    }
  })

const inputValueText = (answering: Answering, definition: InputValueDefinition, of: SelectedField, depth: number): string =>
  objectText(answering, '__InputValue', of, (field) => {
    switch (field.name) {
      case 'name':
      case '__typename':
        return JSON.stringify(definition.name)
      case 'description':
        return jsonText(definition.description)
      case 'type':
        return refText(answering, definition.type, field, depth)
      case 'defaultValue':
        return jsonText(definition.defaultValue)
      case 'isDeprecated':
        return 'false'
      case 'deprecationReason':
        return 'null'
      default:
        throw unknownInputValueField(field.name, field)
    }
  })

const enumValueText = (
  answering: Answering,
  value: { readonly name: string; readonly description: string | null },
  of: SelectedField,
): string =>
  objectText(answering, '__EnumValue', of, (field) => {
    switch (field.name) {
      case 'name':
      case '__typename':
        return JSON.stringify(value.name)
      case 'description':
        return jsonText(value.description)
      case 'isDeprecated':
        return 'false'
      case 'deprecationReason':
        return 'null'
      default:
        throw unknownEnumValueField(field.name, field)
    }
  })

const directiveText = (answering: Answering, directive: DirectiveDefinition, of: SelectedField, depth: number): string =>
  objectText(answering, '__Directive', of, (field) => {
    switch (field.name) {
      case 'name':
        return JSON.stringify(directive.name)
      case 'description':
        return JSON.stringify(directive.description)
      case 'locations':
        return JSON.stringify(directive.locations)
      case 'args':
        return listText(answering, directive.args, (argument) => inputValueText(answering, argument, field, depth))
      case 'isRepeatable':
        return 'false'
      case '__typename':
        return '"__Directive"'
      default:
        throw unknownDirectiveField(field.name, field)
    }
  })

function objectText(answering: Answering, type: string, of: SelectedField, textOf: (field: SelectedField) => string): string {
  countObject(answering)
  let text = ''
  for (const { field, key } of fieldsOf(answering, type, of)) text += `${text ? ',' : '{'}${key}:${textOf(field)}`
  return bounded(answering, text ? `${text}}` : '{}')
}

function countObject(answering: Answering): void {
  if (++answering.objects > answering.mostObjects) {
    throw introspectionLimitExceeded('introspectionRepeats', answering.mostObjects, 'objects', answering.root)
  }
}

function listText<Item>(answering: Answering, items: Iterable<Item>, textOf: (item: Item) => string): string {
  let text = ''
  for (const item of items) text = bounded(answering, `${text}${text ? ',' : '['}${textOf(item)}`)
  return text ? `${text}]` : '[]'
}

/** Tools ask for the whole schema once; whoever asks for it four times over in one document means harm. */
function mostObjects({ types }: IntrospectedTypes, { introspectionRepeats }: GraphqlLimits): number {
  let objects = types.size
  for (const type of types.values()) {
    if (type.kind === 'object' || type.kind === 'interface') for (const field of type.fields) objects += 1 + field.args.length
    else if (type.kind === 'input object') objects += type.fields.length
    else if (type.kind === 'enum') objects += type.values.length
  }
  return Math.max(10_000, introspectionRepeats * objects)
}

function bounded({ limits, root }: Answering, text: string): string {
  if (text.length <= limits.introspectionCharacters) return text
  throw introspectionLimitExceeded('introspectionCharacters', limits.introspectionCharacters, 'characters', root)
}

/** What grows an answer without end is a list inside a list: `fields { type { fields { … } } }`. */
function listDepth({ limits, root }: Answering, field: SelectedField, depth: number): number {
  if (depth < limits.introspectionDepth) return depth + 1
  throw introspectionLimitExceeded('introspectionDepth', limits.introspectionDepth, `levels of ${field.name}`, root)
}

function fieldsOf(answering: Answering, type: string, { selections }: SelectedField): readonly Answered[] {
  const known = answering.fields.get(selections)
  if (known) return known
  const fields = collectFields(answering.operation, selections, type).map((field) => ({ field, key: JSON.stringify(field.responseKey) }))
  answering.fields.set(selections, fields)
  return fields
}

const jsonText = (text: string | null): string => (text === null ? 'null' : JSON.stringify(text))
