import type { ConstValueNode, ValueNode } from 'graphql'
import { createJsonObject, type Json, JsonNumber } from './json.ts'
import type { Value } from './value.ts'
import { storable } from './variables.ts'

/**
 * A literal as a {@link Value}, variables put in wherever they stand. Of a key given twice the last counts.
 * @throws GraphqlError when a string in it is one PostgreSQL cannot hold
 */
export function argumentValue(node: ValueNode, variable: (name: string) => Value): Value {
  switch (node.kind) {
    case 'Variable':
      return variable(node.name.value)
    case 'NullValue':
      return { kind: 'null', origin: null }
    case 'BooleanValue':
      return { kind: 'boolean', value: node.value, origin: null }
    case 'IntValue':
    case 'FloatValue':
      return { kind: 'number', text: node.value, origin: null }
    case 'StringValue':
    case 'EnumValue':
      return { kind: 'string', value: storable(node.value), origin: null }
    case 'ListValue':
      return { kind: 'list', items: node.values.map((item) => argumentValue(item, variable)), origin: null }
    default: {
      const fields = new Map<string, Value>()
      for (const field of node.fields) fields.set(field.name.value, argumentValue(field.value, variable))
      return { kind: 'object', fields, origin: null }
    }
  }
}

/** The declared default of a variable, in the form in which the variable itself would come. */
export function constantJson(node: ConstValueNode): Json {
  switch (node.kind) {
    case 'NullValue':
      return null
    case 'BooleanValue':
      return node.value
    case 'IntValue':
    case 'FloatValue':
      return new JsonNumber(node.value)
    case 'StringValue':
    case 'EnumValue':
      return node.value
    case 'ListValue':
      return node.values.map(constantJson)
    default: {
      const object = createJsonObject()
      for (const field of node.fields) object[field.name.value] = constantJson(field.value)
      return object
    }
  }
}
