/** The GraphQL type system as introspection shows it: plain data, one role's view. */

export type TypeRef =
  | { readonly kind: 'named'; readonly name: string }
  | { readonly kind: 'list'; readonly of: TypeRef }
  | { readonly kind: 'non null'; readonly of: TypeRef }

export type InputValueDefinition = {
  readonly name: string
  readonly description: string | null
  readonly type: TypeRef
  /** as GraphQL literal text, as introspection shows it */
  readonly defaultValue: string | null
}

export type FieldDefinition = {
  readonly name: string
  readonly description: string | null
  readonly args: readonly InputValueDefinition[]
  readonly type: TypeRef
}

export type TypeDefinition = { readonly name: string; readonly description: string | null } & (
  | { readonly kind: 'scalar' }
  | { readonly kind: 'object'; readonly fields: readonly FieldDefinition[]; readonly interfaces: readonly string[] }
  | { readonly kind: 'interface'; readonly fields: readonly FieldDefinition[]; readonly possibleTypes: readonly string[] }
  | { readonly kind: 'enum'; readonly values: readonly { readonly name: string; readonly description: string | null }[] }
  | { readonly kind: 'input object'; readonly fields: readonly InputValueDefinition[] }
)

/** Types by name; meta types (`__Type`, …) included. Iteration order is bytewise by name. */
export type TypeSystem = {
  readonly types: ReadonlyMap<string, TypeDefinition>
  readonly query: string
  /** null: the role may change nothing */
  readonly mutation: string | null
  readonly directives: readonly DirectiveDefinition[]
}

export type DirectiveDefinition = {
  readonly name: string
  readonly description: string
  readonly locations: readonly string[]
  readonly args: readonly InputValueDefinition[]
}

export const named = (name: string): TypeRef => ({ kind: 'named', name })
export const list = (of: TypeRef): TypeRef => ({ kind: 'list', of })
export const nonNull = (of: TypeRef): TypeRef => (of.kind === 'non null' ? of : { kind: 'non null', of })

/** `unlisted`: types that fields refer to and introspection hides (an enum without USAGE); they show where they are referred to only. */
export type IntrospectedTypes = TypeSystem & { readonly unlisted?: ReadonlyMap<string, TypeDefinition> }
