import type { GraphqlError } from './operation/operation.ts'
import type { RootError } from './plan/plan-operation.ts'
import type { Part } from './sql/compile-operation.ts'

/** One row per statement: the JSON texts that PostgreSQL made. */
export type Rows = readonly (readonly (string | null)[])[]

/** The response body. PostgreSQL's text is put in as it is; failed roots are left out and told of in `errors`. */
export function respond(parts: readonly Part[], rows: Rows, errors: readonly RootError[]): string {
  const members = parts.map((part) => {
    const json = part.from === 'document' ? part.json : (rows[part.statement]?.[part.column] ?? 'null')
    return `${JSON.stringify(part.key)}:${json}`
  })
  const data = members.length === 0 && errors.length > 0 ? 'null' : `{${members.join(',')}}`
  return errors.length > 0 ? `{"data":${data},"errors":[${errors.map(rootError).join(',')}]}` : `{"data":${data}}`
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
