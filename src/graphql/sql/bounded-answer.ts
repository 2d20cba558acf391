import { constant, ident, join, literal, nothing, type Sql, sql } from '../../sqltext/sql.ts'
import { NULL_JSON } from './json-text.ts'
import { VERSION_GUARD } from './version-guard.ts'

/**
 * Selects JSON texts, a column each, if together they are not longer than `maxBytes`: Node would have to hold them whole. `offset 0`
 * keeps PostgreSQL from working a text out a second time for its length. The last column looks at the schema's version.
 * @param from what follows the select list that yields the texts
 */
export function boundedAnswer(texts: readonly Sql[], maxBytes: number, from: Sql = nothing): Sql {
  const named = texts.map((text, i) => sql`${text} as ${ident(`r${i + 1}`)}`)
  const [first = NULL_JSON, ...others] = texts.map((_, i) => ident('answer', `r${i + 1}`))
  const length = join(
    [first, ...others].map((text) => sql`octet_length(${text})`),
    ' + ',
  )
  const refusal = literal(`The answer is longer than ${maxBytes} bytes (limit responseBytes)`)
  const checked = sql`case when ${length} > ${constant(String(maxBytes))} then stowage_graphql.refuse(${refusal}) else ${first} end`
  return sql`select ${join([checked, ...others, VERSION_GUARD], ', ')} from (select ${join(named, ', ')}${from} offset 0) ${ident('answer')}`
}
