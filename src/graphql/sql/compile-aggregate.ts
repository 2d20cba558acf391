import type { Column } from '../../catalog/model.ts'
import { constant, ident, join, type Sql, sql } from '../../sqltext/sql.ts'
import { assertNever } from '../../std/assert-never.ts'
import type { AggregateColumn, AggregateField, CollectionPlan } from '../plan/plan.ts'
import { compileEveryRow, type OfColumns, type Rows } from './compile-page.ts'
import { concatenation, type JsonText, jsonObject } from './json-text.ts'

/** Aggregates over every row of a collection, on whatever page it is. */
export type Counts = {
  /** one of them, as a subselect */
  readonly of: (aggregate: OfColumns) => Sql
  /** the common table expression that the subselects read, if they do; asked for when all are told */
  readonly together: () => readonly Sql[]
}

/** Several are worked out together: each by itself would read every row once more. */
export function countsOf(rows: Rows): Counts {
  if (rows.plan.select.filter(isCounted).length < 2)
    return { of: (aggregate) => sql`(${compileEveryRow(rows, aggregate)})`, together: () => [] }

  const counted = rows.compilation.nextAlias()
  const aggregates: OfColumns[] = []
  const nameOf = (place: number) => `c${place + 1}`
  return {
    of: (aggregate) => {
      const place = aggregates.push(aggregate) - 1
      return sql`(select ${ident(counted, nameOf(place))} from ${ident(counted)})`
    },
    together: () => {
      const items = (column: (column: Column) => Sql) => aggregates.map((aggregate, i) => sql`${aggregate(column)} as ${ident(nameOf(i))}`)
      return [sql`${ident(counted)} as (${compileEveryRow(rows, (column) => join(items(column), ', '))})`]
    },
  }
}

const isCounted = (field: CollectionPlan['select'][number]): boolean =>
  field.kind === 'total count' || (field.kind === 'aggregate' && field.fields.some(isComputed))

const isComputed = (field: AggregateField): boolean =>
  field.kind === 'count' || (field.kind === 'of columns' && field.fields.some((of) => of.kind === 'column'))

export function compileAggregates(counts: Counts, fields: readonly AggregateField[]): JsonText {
  const json = (column: (column: Column) => Sql) => jsonObject(fields.map((of) => ({ key: of.key, value: compileAggregate(of, column) })))
  return fields.some(isComputed) ? [counts.of((column) => concatenation(json(column)))] : json(() => constant('null'))
}

function compileAggregate(field: AggregateField, column: (column: Column) => Sql): JsonText {
  switch (field.kind) {
    case 'literal':
      return [field.json]
    case 'count':
      return [constant('count(*)::text')]
    case 'of columns':
      return jsonObject(field.fields.map((of) => ({ key: of.key, value: compileAggregateColumn(of, column) })))
    default:
      return assertNever(field)
  }
}

/** Numbers as JSON numbers, as pg_graphql has it; averages in numeric, which those of whole numbers are without a cast. */
function compileAggregateColumn(field: AggregateColumn, column: (column: Column) => Sql): JsonText {
  if (field.kind === 'literal') return [field.json]
  const value = column(field.column)
  const isBoolean = field.column.type.sql === 'boolean'
  switch (field.fn) {
    case 'sum':
      return [toJson(sql`sum(${value})`)]
    case 'avg':
      return [toJson(sql`avg(${value}${constant(AVERAGED_AS_NUMERIC.has(field.column.type.sql) ? '' : '::numeric')})`)]
    // PostgreSQL has no min and max of booleans: all true, any true
    case 'min':
      return [toJson(isBoolean ? sql`bool_and(${value})` : sql`min(${value})`)]
    case 'max':
      return [toJson(isBoolean ? sql`bool_or(${value})` : sql`max(${value})`)]
    default:
      return assertNever(field.fn)
  }
}

const toJson = (value: Sql): Sql => sql`coalesce(to_json(${value})::text, 'null')`

const AVERAGED_AS_NUMERIC: ReadonlySet<string> = new Set(['smallint', 'integer', 'bigint', 'numeric'])
