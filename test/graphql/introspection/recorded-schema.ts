import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildClientSchema, type IntrospectionQuery, lexicographicSortSchema, printSchema } from 'graphql'
import type { InputValueDefinition, IntrospectedTypes, TypeDefinition, TypeRef } from '../../../src/graphql/schema/type-system.ts'

export const WORLDS = join(import.meta.dirname, '../../compat/graphql/worlds')

/** `library/service_role` and the like: every introspection the peer answered. */
export const RECORDED_SCHEMAS: readonly string[] = readdirSync(WORLDS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) =>
    readdirSync(join(WORLDS, name))
      .map((file) => /^introspection\.(.+)\.json$/.exec(file)?.[1])
      .filter((role) => role !== undefined)
      .map((role) => `${name}/${role}`),
  )

export const readRecorded = (schema: string): { data: { __schema: RecordedSchema } } => {
  const [world = '', role = ''] = schema.split('/')
  return JSON.parse(readFileSync(join(WORLDS, world, `introspection.${role}.json`), 'utf8'))
}

/** What graphql-js prints of it; null: it refuses the schema. */
export function recordedSdl(schema: string): string | null {
  try {
    const client = buildClientSchema(readRecorded(schema).data as unknown as IntrospectionQuery)
    return `${printSchema(lexicographicSortSchema(client))}\n`
  } catch {
    return null
  }
}

type RecordedRef = { readonly kind: string; readonly name: string | null; readonly ofType?: RecordedRef | null }
type RecordedInput = {
  readonly name: string
  readonly description: string | null
  readonly type: RecordedRef
  readonly defaultValue: string | null
}
type RecordedType = {
  readonly kind: string
  readonly name: string
  readonly description: string | null
  readonly fields:
    | readonly {
        readonly name: string
        readonly description: string | null
        readonly args: readonly RecordedInput[]
        readonly type: RecordedRef
      }[]
    | null
  readonly inputFields: readonly RecordedInput[] | null
  readonly interfaces: readonly RecordedRef[]
  readonly enumValues: readonly { readonly name: string; readonly description: string | null }[]
  readonly possibleTypes: readonly RecordedRef[] | null
}
type RecordedSchema = {
  readonly mutationType: { readonly name: string } | null
  readonly types: readonly RecordedType[]
  readonly directives: readonly {
    readonly name: string
    readonly description: string
    readonly locations: readonly string[]
    readonly args: readonly RecordedInput[]
  }[]
}

const nameOf = (ref: TypeRef): string => (ref.kind === 'named' ? ref.name : nameOf(ref.of))

/** What is referred to and not listed; the record shows no more of it than its kind. */
function hidden(kind: string, name: string): TypeDefinition {
  if (kind === 'OBJECT') return { kind: 'object', name, description: null, fields: [], interfaces: [] }
  if (kind === 'INPUT_OBJECT') return { kind: 'input object', name, description: null, fields: [] }
  return { kind: 'enum', name, description: null, values: [] }
}

/** The type system that gives the recorded answer. */
export function typeSystemOf({ mutationType, types, directives }: RecordedSchema): IntrospectedTypes {
  const definitions = new Map(types.map((type) => [type.name, definitionOf(type)]))
  const unlisted = new Map<string, TypeDefinition>()
  const refOf = (ref: RecordedRef): TypeRef => {
    if (ref.ofType) return { kind: ref.kind === 'LIST' ? 'list' : 'non null', of: refOf(ref.ofType) }
    const name = ref.name ?? ''
    if (!definitions.has(name)) unlisted.set(name, hidden(ref.kind, name))
    return { kind: 'named', name }
  }
  const inputOf = (input: RecordedInput): InputValueDefinition => ({ ...input, type: refOf(input.type) })

  function definitionOf(type: RecordedType): () => TypeDefinition {
    return () => {
      const { name, description } = type
      const fields = () =>
        (type.fields ?? []).map((field) => ({
          name: field.name,
          description: field.description,
          args: field.args.map(inputOf),
          type: refOf(field.type),
        }))
      const names = (refs: readonly RecordedRef[] | null) => (refs ?? []).map((ref) => nameOf(refOf(ref)))
      switch (type.kind) {
        case 'SCALAR':
          return { kind: 'scalar', name, description }
        case 'OBJECT':
          return { kind: 'object', name, description, fields: fields(), interfaces: names(type.interfaces) }
        case 'INTERFACE':
          return { kind: 'interface', name, description, fields: fields(), possibleTypes: names(type.possibleTypes) }
        case 'ENUM':
          return {
            kind: 'enum',
            name,
            description,
            values: type.enumValues.map((value) => ({ name: value.name, description: value.description })),
          }
        default:
          return { kind: 'input object', name, description, fields: (type.inputFields ?? []).map(inputOf) }
      }
    }
  }

  return {
    types: new Map(Array.from(definitions, ([name, define]) => [name, define()])),
    unlisted,
    query: 'Query',
    mutation: mutationType?.name ?? null,
    directives: directives.map(({ name, description, locations, args }) => ({ name, description, locations, args: args.map(inputOf) })),
  }
}
