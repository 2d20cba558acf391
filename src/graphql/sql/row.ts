import type { Column } from '../../catalog/model.ts'
import { constant, ident, join, type Sql, sql } from '../../sqltext/sql.ts'

/** The whole row as a value, for functions of it. No column of a table is called so by accident, and if one is, nothing breaks but this. */
const WHOLE_ROW = '(row)'

/**
 * A row in scope, by its alias. It keeps what was asked of it, so that the subselect that yields it lists just those columns.
 * `trusted`: a NOT NULL column is never null here; rows out of functions may say otherwise.
 */
export type Row = {
  readonly column: (column: Column) => Sql
  readonly whole: () => Sql
  readonly isNullable: (column: Column) => boolean
  /** the select list that yields all that was asked of the row, from a relation under the same alias */
  readonly selectList: () => Sql
}

export function createRow(alias: string, trusted: boolean): Row {
  const columns = new Map<string, Sql>()
  let whole = false
  return {
    column: (column) => {
      const reference = ident(alias, column.name)
      columns.set(column.name, reference)
      return reference
    },
    whole: () => {
      whole = true
      return ident(alias, WHOLE_ROW)
    },
    isNullable: (column) => !trusted || !column.notNull,
    selectList: () => {
      const items = [...columns.values(), ...(whole ? [sql`${ident(alias)} as ${ident(WHOLE_ROW)}`] : [])]
      return items.length > 0 ? join(items, ', ') : constant('1 as "(one)"')
    },
  }
}
