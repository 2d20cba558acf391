import type { Column, Relation } from '../../catalog/model.ts'
import { constant, ident, join, type Sql, sql } from '../../sqltext/sql.ts'

/**
 * A row in scope, by its alias. It keeps what was asked of it, so that the subselect that yields it lists just those columns.
 * `trusted`: a NOT NULL column is never null here; rows out of functions may say otherwise.
 */
export type Row = {
  readonly column: (column: Column) => Sql
  /** the row as a value, for functions of it */
  readonly whole: () => Sql
  readonly isNullable: (column: Column) => boolean
  /** the select list that yields all that was asked of the row, from a relation under the same alias */
  readonly selectList: () => Sql
}

/** A name for what stands beside a relation's columns. */
export const nameBeside = (relation: Relation, name: string): string =>
  relation.columns.some((column) => column.name === name) ? nameBeside(relation, `${name}_`) : name

export function createRow(alias: string, relation: Relation, trusted: boolean): Row {
  const columns = new Map<string, Sql>()
  const column = ({ name }: Column): Sql => {
    const reference = ident(alias, name)
    columns.set(name, reference)
    return reference
  }
  return {
    column,
    // put together of its columns only where it is needed: a row as a value, made before rows are sorted and cut, has all its long values read
    whole: () => sql`row(${join(relation.columns.map(column), ', ')})::${ident(relation.schema.name, relation.name)}`,
    isNullable: (column) => !trusted || !column.notNull,
    selectList: () => (columns.size > 0 ? join([...columns.values()], ', ') : constant('1 as "(one)"')),
  }
}
