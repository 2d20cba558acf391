import { invalidInput } from '../errors.ts'
import type { SelectedField } from '../operation/operation.ts'
import type { RootFunction } from '../schema/role-schema.ts'
import { encodingOf } from './encoding.ts'
import { EVERY_ROW, type FunctionSource, type RootPlan } from './plan.ts'
import { planCollection } from './plan-collection.ts'
import type { PlanContext } from './plan-context.ts'
import { planNode, refuseArguments } from './plan-node.ts'
import { bind, kindOf, pgText } from './plan-values.ts'

/** A function of the database as a root field. */
export function planRootFunction(context: PlanContext, { fn, args, returns }: RootFunction, field: SelectedField): RootPlan {
  const key = field.responseKey
  const names = args.map((arg) => arg.name)
  if (returns.kind !== 'collection') refuseArguments(field, ...names)
  const source = functionSource(context, { fn, args, returns }, field)
  switch (returns.kind) {
    case 'value':
      return { key, kind: 'value', source, encoding: encodingOf(returns.type) }
    case 'node':
      return { key, kind: 'record', source, where: EVERY_ROW, node: planNode(context, returns.entity, field.selections) }
    default:
      return {
        key,
        kind: 'collection',
        collection: planCollection(context, returns.entity, field, { source, join: [], otherArguments: names }),
      }
  }
}

/** Arguments are given by name; those not given are left to their defaults. */
function functionSource(context: PlanContext, { fn, args }: RootFunction, field: SelectedField): FunctionSource {
  return {
    kind: 'function',
    fn,
    once: !fn.isInlined,
    args: args.flatMap((arg) => {
      const given = field.args.find(({ name }) => name === arg.name)?.value
      const kind = given ? kindOf(context, given) : 'absent'
      if (!arg.optional && (kind === 'absent' || kind === 'null')) throw invalidInput('NonNull')
      if (!given || kind === 'absent') return []
      return [{ name: arg.sqlName, cast: arg.type.pg.sql, operand: bind(given, (value) => pgText(value, arg.type, null)) }]
    }),
  }
}
