import { constant, join, literal, type Sql } from '../../sqltext/sql.ts'

/** JSON text as it is put together: constant pieces and SQL expressions of type text that are never null. */
export type JsonText = readonly (string | Sql)[]

/** `{"key":value,…}`, keys in the order given. */
export function jsonObject(members: readonly { readonly key: string; readonly value: JsonText }[]): JsonText {
  return ['{', ...members.flatMap(({ key, value }, i) => [`${i > 0 ? ',' : ''}${JSON.stringify(key)}:`, ...value]), '}']
}

/** The pieces as one SQL expression: neighbouring constants made one, everything joined by `||`. */
export function concatenation(text: JsonText): Sql {
  const pieces: Sql[] = []
  let run = ''
  for (const piece of text) {
    if (typeof piece === 'string') run += piece
    else {
      if (run) pieces.push(literal(run))
      run = ''
      pieces.push(piece)
    }
  }
  if (run || pieces.length === 0) pieces.push(literal(run))
  return pieces.length === 1 && pieces[0] ? pieces[0] : { parts: ['(', ...join(pieces, ' || ').parts, ')'] }
}

export const NULL_JSON: Sql = constant(`'null'`)
