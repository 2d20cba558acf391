import type { PgType } from '../../catalog/model.ts'
import type { ColumnField, Entity } from './role-schema.ts'

export type AggregateFunction = 'sum' | 'avg' | 'min' | 'max'

const SUMMED: ReadonlySet<string> = new Set(['smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric', 'money'])
const COMPARED: ReadonlySet<string> = new Set([
  ...SUMMED,
  'text',
  'character varying',
  'bpchar',
  '"char"',
  'name',
  'date',
  'time without time zone',
  'time with time zone',
  'timestamp without time zone',
  'timestamp with time zone',
  'boolean',
])

/** Whether PostgreSQL's aggregate is offered for a type. */
export const isAggregated = (fn: AggregateFunction, type: PgType): boolean =>
  fn === 'sum' || fn === 'avg' ? SUMMED.has(type.sql) : COMPARED.has(type.sql) || type.name === 'citext'

export const aggregateColumns = (entity: Entity, fn: AggregateFunction): readonly ColumnField[] =>
  entity.aggregates.filter(({ column }) => isAggregated(fn, column.type))
