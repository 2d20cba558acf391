import { constant, ident, join, literal, nothing, type Sql, sql } from '../../sqltext/sql.ts'
import { NULL_JSON } from './json-text.ts'
import { VERSION_GUARD } from './version-guard.ts'

/**
 * Selects JSON texts, a column each, if together they are not longer than `maxBytes`: Node would have to hold them whole. The last column
 * looks at the schema's version: what only reads may have been done for nothing.
 */
export function boundedAnswer(texts: readonly Sql[], maxBytes: number): Sql {
  const { checked, others, answer } = bounded(texts, maxBytes, nothing)
  return sql`select ${join([checked, ...others, VERSION_GUARD], ', ')} ${answer}`
}

/**
 * Selects the JSON text of what changes something, if it is not longer than `maxBytes`. The look at the schema's version comes first: a
 * subselect is run when it is needed, so that nothing has been done when it refuses.
 * @param from what follows the select list that yields the text
 */
export function boundedAnswerOfChange(text: Sql, maxBytes: number, from: Sql): Sql {
  const { checked, answer } = bounded([text], maxBytes, from)
  return sql`select case when ${VERSION_GUARD} is null then (select ${checked} ${answer}) end`
}

/** `offset 0` keeps PostgreSQL from working a text out a second time for its length. */
function bounded(
  texts: readonly Sql[],
  maxBytes: number,
  from: Sql,
): { readonly checked: Sql; readonly others: readonly Sql[]; readonly answer: Sql } {
  const named = texts.map((text, i) => sql`${text} as ${ident(`r${i + 1}`)}`)
  const [first = NULL_JSON, ...others] = texts.map((_, i) => ident('answer', `r${i + 1}`))
  const length = join(
    [first, ...others].map((text) => sql`octet_length(${text})`),
    ' + ',
  )
  const refusal = literal(`The answer is longer than ${maxBytes} bytes (limit responseBytes)`)
  const checked = sql`case when ${length} > ${constant(String(maxBytes))} then stowage_graphql.refuse(${refusal}) else ${first} end`
  return { checked, others, answer: sql`from (select ${join(named, ', ')}${from} offset 0) ${ident('answer')}` }
}
