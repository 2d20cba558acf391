import { constant, ident, join, param, type Sql, sql } from '../../sqltext/sql.ts'
import { assertNever } from '../../std/assert-never.ts'
import type { FunctionSource, Source } from '../plan/plan.ts'
import type { Row } from './row.ts'

/** What stands in `from`. `around`: the row that a function is called with. */
export function compileSource(source: Source, around: Row | null): Sql {
  switch (source.kind) {
    case 'relation':
      return ident(source.relation.schema.name, source.relation.name)
    case 'function':
      return compileCall(source)
    case 'row function':
      return sql`${ident(source.fn.schema.name, source.fn.name)}(${around ? around.whole() : constant('null')})`
    default:
      return assertNever(source)
  }
}

/** Named notation, PostgreSQL manual 4.3.2: whatever is left out takes its default. */
export const compileCall = ({ fn, args }: FunctionSource): Sql =>
  sql`${ident(fn.schema.name, fn.name)}(${join(
    args.map(({ name, cast, operand }) => sql`${ident(name)} => ${param(operand)}::${constant(cast)}`),
    ', ',
  )})`
