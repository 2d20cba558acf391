import { badNodeId, invalidInput, keyCountMismatch, keyNotGranted } from '../errors.ts'
import type { Json } from '../operation/json.ts'
import type { Value } from '../operation/value.ts'
import { isJsonList } from '../operation/variables.ts'
import type { Entity } from '../schema/role-schema.ts'
import { decodeBase64Json } from './decode-base64-json.ts'
import { keyText } from './key-text.ts'
import type { Predicate } from './plan.ts'
import type { PlanContext } from './plan-context.ts'
import { bind, kindOf } from './plan-values.ts'

export type NodeId = { readonly schema: string; readonly table: string; readonly key: readonly Json[] }

/** A nodeId argument. What it names decides the plan, so that is guarded; its key values are not. */
export function readNodeId(context: PlanContext, value: Value): NodeId {
  if (kindOf(context, value) !== 'string' || value.kind !== 'string') throw invalidInput('ID')
  const id = decodeNodeId(value.value)
  if (value.origin) {
    const target = targetOf(id)
    context.operation.guards.record({
      origin: value.origin,
      fact: 'passes',
      test: (json) => typeof json === 'string' && targetOf(decodeNodeId(json)) === target,
    })
  }
  return id
}

const targetOf = (id: NodeId): string => JSON.stringify([id.schema, id.table, id.key.length])

/** Base64 of `["schema", "table", key…]`. */
function decodeNodeId(text: string): NodeId {
  const decoded = decodeBase64Json(text)
  if ('fault' in decoded) throw badNodeId(decoded.fault === 'base64' ? 2 : decoded.fault === 'utf-8' ? 3 : 4)
  if (!isJsonList(decoded.json)) throw badNodeId(10)
  const [schema, table, ...key] = decoded.json
  if (decoded.json.length < 3) throw badNodeId(5)
  if (typeof schema !== 'string') throw badNodeId(6)
  if (typeof table !== 'string') throw badNodeId(7)
  return { schema, table, key }
}

/** The row a nodeId of this entity names. */
export function planNodeIdPredicate(value: Value, id: NodeId, { relation, key, addressable }: Entity): Predicate {
  if (!addressable) throw keyNotGranted(relation)
  if (id.key.length !== key.length) throw keyCountMismatch(key.length, id.key.length)
  return {
    kind: 'and',
    terms: key.map((column, i) => ({
      kind: 'compare',
      column,
      operator: '=',
      operand: bind(value, (given) =>
        keyText(given.kind === 'string' ? decodeNodeId(given.value).key[i] : undefined, column.type.element !== null),
      ),
    })),
  }
}
