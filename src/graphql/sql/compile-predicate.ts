import type { Column } from '../../catalog/model.ts'
import { constant, join, param, type Sql, sql } from '../../sqltext/sql.ts'
import { assertNever } from '../../std/assert-never.ts'
import type { BoundParam, CompareOperator, Predicate } from '../plan/plan.ts'

/** A predicate over the columns of one row. */
export function compilePredicate(predicate: Predicate, column: (column: Column) => Sql): Sql {
  switch (predicate.kind) {
    case 'compare':
      return compare(column(predicate.column), predicate.column, predicate.operator, predicate.operand)
    case 'in':
      return sql`${column(predicate.column)} = any (${param(predicate.operands)}::${constant(predicate.column.declared)}[])`
    case 'is null':
      return predicate.negated ? sql`${column(predicate.column)} is not null` : sql`${column(predicate.column)} is null`
    case 'and':
      return conjunction(predicate.terms.map((term) => compilePredicate(term, column)))
    case 'or':
      return disjunction(predicate.terms.map((term) => compilePredicate(term, column)))
    case 'not':
      return sql`not ${compilePredicate(predicate.term, column)}`
    default:
      return assertNever(predicate)
  }
}

function compare(left: Sql, column: Column, operator: CompareOperator, operand: BoundParam): Sql {
  // the prefix operator knows text only, so citext would be compared by case
  if (operator === '^@' && column.type.name === 'citext') return sql`lower(${left}::text) ^@ lower(${param(operand)}::text)`
  return sql`${left} ${constant(operator)} ${typed(operand, column)}`
}

/** A bound value as the column's declared type, modifier included. */
export const typed = (operand: BoundParam, column: Column): Sql => sql`${param(operand)}::${constant(column.declared)}`

export const conjunction = (terms: readonly Sql[]): Sql =>
  terms.length === 0 ? constant('true') : terms.length === 1 && terms[0] ? terms[0] : sql`(${join(terms, ' and ')})`

export const disjunction = (terms: readonly Sql[]): Sql =>
  terms.length === 0 ? constant('false') : terms.length === 1 && terms[0] ? terms[0] : sql`(${join(terms, ' or ')})`
