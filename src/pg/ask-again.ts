import type { Statement } from '../sqltext/sql.ts'
import { PgUnavailable } from './pg-error.ts'

/** For what only asks: a statement whose connection broke is asked once more, on another. */
export const askAgain =
  <Answer>(query: (statement: Statement) => Promise<Answer>) =>
  (statement: Statement): Promise<Answer> =>
    query(statement).catch((error: unknown) => {
      if (error instanceof PgUnavailable && error.reason === 'connection lost') return query(statement)
      throw error
    })
