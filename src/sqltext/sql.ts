/**
 * SQL as nodes. A statement is put together from constants, quoted identifiers, quoted literals and bound values,
 * so that a foreign string cannot become SQL by accident.
 */

/** Values travel as text; the cast to their type stands in the SQL. */
export type PgText = string | null

export type Statement = {
  readonly text: string
  readonly values: readonly PgText[]
  /** its values decide how it is best done: a plan for any values would be far worse */
  readonly planAnew?: boolean
}

/** A bound value. Whoever needs to know more of it than its text binds an object of its own and finds it in {@link compile}'s answer. */
export type Param = { readonly text: PgText }

/** A piece of SQL: text fragments and bound values between them. */
export type Sql = { readonly parts: readonly (string | Param)[] }

/** The tag: interpolations are pieces themselves; there is no way to interpolate a bare string. */
export function sql(strings: TemplateStringsArray, ...pieces: readonly Sql[]): Sql {
  const parts: (string | Param)[] = []
  strings.forEach((text, i) => {
    if (text) parts.push(text)
    const piece = pieces[i]
    if (piece) append(parts, piece)
  })
  return { parts }
}

/** SQL text that is a constant of ours (an operator, a keyword), never of the caller's. */
export const constant = (text: string): Sql => ({ parts: [text] })

export const nothing: Sql = { parts: [] }

/** A quoted identifier; several are joined by dots. PostgreSQL manual 4.1.1. */
export const ident = (...names: readonly string[]): Sql => ({ parts: [names.map(quoteIdent).join('.')] })

/** A quoted string literal that holds whatever `standard_conforming_strings` says. PostgreSQL manual 4.1.2. */
export const literal = (text: string): Sql => ({ parts: [quoteLiteral(text)] })

/** A bound value, `$n` in the text. Give its type by a cast after it. */
export const value = (text: PgText): Sql => ({ parts: [{ text }] })

export const param = (bound: Param): Sql => ({ parts: [bound] })

export function join(pieces: readonly Sql[], separator: string): Sql {
  const parts: (string | Param)[] = []
  pieces.forEach((piece, i) => {
    if (i > 0) parts.push(separator)
    append(parts, piece)
  })
  return { parts }
}

/** One by one: a call takes some ten thousand arguments, and a statement may have more parts. */
function append(parts: (string | Param)[], piece: Sql): void {
  for (const part of piece.parts) parts.push(part)
}

/** Text and params in order of appearance. Equal pieces give equal text, which is what makes a prepared statement reusable. */
export function compile(piece: Sql): { readonly text: string; readonly params: readonly Param[] } {
  const params: Param[] = []
  let text = ''
  for (const part of piece.parts) {
    if (typeof part === 'string') text += part
    else {
      params.push(part)
      text += `$${params.length}`
    }
  }
  return { text, params }
}

export function toStatement(piece: Sql): Statement {
  const { text, params } = compile(piece)
  return { text, values: params.map((bound) => bound.text) }
}

export const quoteIdent = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const quoteLiteral = (text: string): string =>
  text.includes('\\') ? ` E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'` : `'${text.replaceAll("'", "''")}'`
