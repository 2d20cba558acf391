import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  GraphQLError as SyntaxFailure,
} from 'graphql'
import { anonymousNotAlone, limitExceeded, operationNamesNotUnique, operationNotFound, parseError } from '../errors.ts'
import { checkFragments } from './check-fragments.ts'
import type { GraphqlLimits } from './limits.ts'
import { GraphqlError } from './operation.ts'
import { placeOf } from './place-of.ts'
import { scanDocument } from './scan-document.ts'

/** A document that parses, and what holds of it whatever operation and variables come with it. */
export type ParsedDocument = {
  readonly operations: readonly OperationDefinitionNode[]
  readonly fragments: readonly FragmentDefinitionNode[]
  readonly fragmentsByName: ReadonlyMap<string, readonly FragmentDefinitionNode[]>
  /** why none of its operations can be run; raised after the variables were looked at */
  readonly fault: GraphqlError | null
}

/** @throws GraphqlError for syntax and for limits of the document as a whole */
export function parseDocument(text: string, limits: GraphqlLimits): ParsedDocument {
  scanDocument(text, limits)
  const document = parseText(text, limits)
  checkTokens(document, limits)
  const operations: OperationDefinitionNode[] = []
  const fragments: FragmentDefinitionNode[] = []
  for (const definition of document.definitions) {
    if (definition.kind === 'OperationDefinition') operations.push(definition)
    else if (definition.kind === 'FragmentDefinition') fragments.push(definition)
    else throw parseError(placeOf(definition), 'Expected {, query, mutation, subscription or fragment')
    checkVariableDirectives(definition)
  }
  if (fragments.length > limits.fragments) throw limitExceeded('fragments', limits.fragments, 'fragments')
  checkAliases([...operations, ...fragments], limits)
  const fragmentsByName = groupByName(fragments)
  return { operations, fragments, fragmentsByName, fault: findFault(operations, fragmentsByName) }
}

function groupByName(fragments: readonly FragmentDefinitionNode[]): ReadonlyMap<string, readonly FragmentDefinitionNode[]> {
  const groups = new Map<string, FragmentDefinitionNode[]>()
  for (const fragment of fragments) {
    const group = groups.get(fragment.name.value)
    if (group) group.push(fragment)
    else groups.set(fragment.name.value, [fragment])
  }
  return groups
}

function parseText(text: string, limits: GraphqlLimits): DocumentNode {
  try {
    return parse(text, { maxTokens: limits.tokens })
  } catch (error) {
    if (!(error instanceof SyntaxFailure)) throw error
    const place = error.locations?.[0] ?? { line: 1, column: 1 }
    if (error.message.includes('tokens. Parsing aborted')) throw limitExceeded('tokens', limits.tokens, 'tokens', place)
    throw parseError(place, error.message.replace(/^Syntax Error: /, ''))
  }
}

/** Integers must fit 64 bits, as in pg_graphql's grammar; directives are counted wherever they stand. */
function checkTokens(document: DocumentNode, limits: GraphqlLimits): void {
  let directives = 0
  for (let token = document.loc?.startToken ?? null; token; token = token.next) {
    if (token.kind === '@' && ++directives > limits.directives) {
      throw limitExceeded('directives', limits.directives, 'directives', token)
    }
    if (token.kind === 'Int' && token.value.length > 18 && BigInt.asIntN(64, BigInt(token.value)) !== BigInt(token.value)) {
      throw parseError(token, 'number too large to fit in target type')
    }
  }
}

/** pg_graphql's grammar has no directives on variable definitions. */
function checkVariableDirectives(definition: OperationDefinitionNode | FragmentDefinitionNode): void {
  for (const variable of definition.variableDefinitions ?? []) {
    const directive = variable.directives?.[0]
    if (directive) throw parseError(placeOf(directive), 'Unexpected `@[Punctuator]`\nExpected $, Name, :, = or )')
  }
}

function checkAliases(definitions: readonly { readonly selectionSet: SelectionSetNode }[], limits: GraphqlLimits): void {
  let aliases = 0
  const count = (set: SelectionSetNode): void => {
    for (const selection of set.selections) {
      if (selection.kind === 'Field' && selection.alias && ++aliases > limits.aliases) {
        throw limitExceeded('aliases', limits.aliases, 'aliases', placeOf(selection))
      }
      if (selection.kind !== 'FragmentSpread' && selection.selectionSet) count(selection.selectionSet)
    }
  }
  for (const definition of definitions) count(definition.selectionSet)
}

function findFault(
  operations: readonly OperationDefinitionNode[],
  fragments: ReadonlyMap<string, readonly FragmentDefinitionNode[]>,
): GraphqlError | null {
  const unnamed = operations.length > 1 ? operations.find((operation) => operationName(operation) === null) : undefined
  if (unnamed) return anonymousNotAlone(placeOf(unnamed))
  const names = new Set<string | null>()
  for (const operation of operations) {
    if (names.has(operationName(operation))) return operationNamesNotUnique(placeOf(operation))
    names.add(operationName(operation))
  }
  try {
    checkFragments(fragments)
    return null
  } catch (error) {
    if (error instanceof GraphqlError) return error
    throw error
  }
}

/**
 * The operation that is meant: the named one, or the only one when no name was sent.
 * @throws GraphqlError when there is none
 */
export function chooseOperation(operations: readonly OperationDefinitionNode[], name: string | null): OperationDefinitionNode {
  const [first, ...others] = operations
  const chosen =
    name === null ? (others.length === 0 ? first : undefined) : operations.find((operation) => operationName(operation) === name)
  if (!chosen) throw operationNotFound()
  return chosen
}

/** A subscription counts as nameless, as in pg_graphql: no `operationName` ever finds it. */
const operationName = (operation: OperationDefinitionNode): string | null =>
  operation.operation === 'subscription' ? null : (operation.name?.value ?? null)
