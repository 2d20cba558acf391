import type { GraphqlError } from './operation/operation.ts'
import type { RootError } from './plan/plan-operation.ts'
import type { Part } from './sql/compile-operation.ts'

/** Rows per statement, of which there is one: the JSON texts that PostgreSQL made, long ones perhaps as the bytes they came as. */
export type Rows = readonly (readonly (readonly (string | Uint8Array | null)[])[])[]

/** A response body; in pieces where some of it came as bytes, which nobody has to decode. */
export type BodyText = string | readonly (string | Uint8Array)[]

/** The body as one text. */
export const textOf = (body: BodyText): string =>
  typeof body === 'string' ? body : body.map((piece) => (typeof piece === 'string' ? piece : UTF8.decode(piece))).join('')

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** The response body. PostgreSQL's text is put in as it is; failed roots are left out and told of in `errors`. */
export function respond(parts: readonly Part[], rows: Rows, errors: readonly RootError[]): BodyText {
  const tail = errors.length > 0 ? `,"errors":[${errors.map(rootError).join(',')}]}` : '}'
  if (parts.length === 0 && errors.length > 0) return `{"data":null${tail}`
  const pieces: (string | Uint8Array)[] = []
  let run = '{"data":{'
  parts.forEach((part, i) => {
    run += `${i > 0 ? ',' : ''}${JSON.stringify(part.key)}:`
    const json = part.from === 'document' ? part.json : (rows[part.statement]?.[0]?.[part.column] ?? 'null')
    if (typeof json === 'string') run += json
    else {
      pieces.push(run, json)
      run = ''
    }
  })
  run += `}${tail}`
  return pieces.length === 0 ? run : [...pieces, run]
}

const rootError = ({ key, error }: RootError): string => describe(error, [key])

function describe(error: GraphqlError, path: readonly string[] | null): string {
  const locations = error.line === null || error.column === null ? {} : { locations: [{ line: error.line, column: error.column }] }
  return JSON.stringify({ message: error.message, ...locations, ...(path ? { path } : {}) })
}

/** A request that could not be answered at all. */
export const respondError = (error: GraphqlError): string =>
  error.data === 'absent' ? `{"errors":[${describe(error, null)}]}` : `{"data":null,"errors":[${describe(error, null)}]}`

/**
 * PostgreSQL refused: its primary message and SQLSTATE, nothing else of it. The path is known where the statement that failed answers
 * one root only.
 * @param statement index of the statement that failed
 */
export function respondDatabaseError(message: string, sqlstate: string, parts: readonly Part[], statement: number): string {
  const [root, ...others] = parts.filter((part) => part.from === 'database' && part.statement === statement)
  const path = root && others.length === 0 ? { path: [root.key] } : {}
  return JSON.stringify({ data: null, errors: [{ message, ...path, extensions: { code: sqlstate } }] })
}
