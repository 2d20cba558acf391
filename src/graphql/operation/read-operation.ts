import { type FieldNode, Kind, type OperationDefinitionNode, print } from 'graphql'
import { limitExceeded, subscriptionsNotSupported, variablesNotAnObject } from '../errors.ts'
import { argumentValue, constantJson } from './argument-value.ts'
import { createJsonObject, type JsonObject } from './json.ts'
import type { GraphqlLimits } from './limits.ts'
import type { GraphqlRequest, Operation, SelectedField, Variables } from './operation.ts'
import { chooseOperation, type ParsedDocument } from './parse-document.ts'
import { placeOf } from './place-of.ts'
import type { Guards, Value } from './value.ts'
import { isJsonObject, valueAt } from './variables.ts'

/**
 * The operation a request asks for. Declared types of variables are not looked at, and variables that were supplied without
 * being declared can be used (pg_graphql does both).
 * @param parse of a document cache, or `(text) => parseDocument(text, limits)`
 * @throws GraphqlError `data: 'absent'`
 */
export function readOperation(
  request: GraphqlRequest,
  parse: (text: string) => ParsedDocument,
  limits: GraphqlLimits,
  guards: Guards,
): Operation {
  const document = parse(request.query)
  const supplied = suppliedVariables(request)
  if (document.fault) throw document.fault
  const chosen = chooseOperation(document.operations, request.operationName)
  if (chosen.operation === 'subscription') throw subscriptionsNotSupported(placeOf(chosen))
  const variables: Variables = { supplied, defaults: declaredDefaults(chosen) }
  const variable = remember((name: string) => valueAt(variables, { variable: name }))
  let selections = 0
  return {
    kind: chosen.operation,
    selections: chosen.selectionSet.selections,
    fragments: document.fragments,
    fragmentsByName: document.fragmentsByName,
    variable,
    variables,
    requiredType: (name) => requiredType(chosen, name),
    argumentsOf: remember((field: FieldNode) => argumentsOf(field, variable)),
    countSelection: (selection) => {
      if (++selections > limits.expandedFields) {
        throw limitExceeded('expandedFields', limits.expandedFields, 'selections after fragments are put in', placeOf(selection))
      }
    },
    guards,
  }
}

/** @throws GraphqlError when the variables are no object */
export function suppliedVariables(request: GraphqlRequest): JsonObject {
  if (!isJsonObject(request.variables)) throw variablesNotAnObject()
  return request.variables
}

/** Of a variable declared twice the first declaration counts. */
function declaredDefaults(operation: OperationDefinitionNode): JsonObject {
  const declared = new Set<string>()
  const defaults = createJsonObject()
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value
    if (defaultValue && !declared.has(name)) defaults[name] = constantJson(defaultValue)
    declared.add(name)
  }
  return defaults
}

function requiredType(operation: OperationDefinitionNode, name: string): string | null {
  const declared = operation.variableDefinitions?.find(({ variable }) => variable.name.value === name)
  return declared?.type.kind === Kind.NON_NULL_TYPE && !declared.defaultValue ? print(declared.type) : null
}

const argumentsOf = (field: FieldNode, variable: (name: string) => Value): SelectedField['args'] =>
  (field.arguments ?? []).map(({ name, value }) => ({ name: name.value, value: argumentValue(value, variable) }))

function remember<Key, Result>(work: (key: Key) => Result): (key: Key) => Result {
  const known = new Map<Key, Result>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const result = work(key)
    known.set(key, result)
    return result
  }
}
