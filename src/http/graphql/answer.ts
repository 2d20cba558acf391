import type { Resolved } from '../../graphql/resolve.ts'
import type { BodyText } from '../../graphql/respond.ts'
import { PgCancelled, PgUnavailable } from '../../pg/pg-error.ts'
import { ServiceError } from '../../std/service-error.ts'
import { type AnswerType, answerType } from './answer-type.ts'
import { unsupportedType } from './read-request.ts'

/** An HTTP answer but for what every answer of the service has. */
export type Answer = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: BodyText }

/**
 * The answer to a request that was resolved. Under `application/json` every well-formed request is answered with 200; under
 * `application/graphql-response+json` one of which nothing was executed with 400 and without `data`.
 */
export function answerResolved({ text, requestError }: Resolved, accept: string | undefined): Answer {
  const type = answerType(accept)
  return requestError && type === 'application/graphql-response+json' && typeof text === 'string'
    ? { status: 400, headers: HEADERS[type], body: text.replace(/^\{"data":null,/, '{') }
    : { status: 200, headers: HEADERS[type], body: text }
}

/** The answer to a request that could not be resolved; a fault of ours is told by the request's id only. */
export function answerFailure(error: unknown, id: string, accept: string | undefined): Answer {
  // nobody is there to read it; the status is for the log
  if (error instanceof PgCancelled) return { status: 499, headers: {}, body: '' }
  const { status, message, code } = describe(error, id)
  if (status === 401 || status === 403) return { status, headers: CHALLENGE, body: JSON.stringify({ message }) }
  const headers = HEADERS[answerType(accept)]
  const body = JSON.stringify({ errors: [{ message, extensions: { code } }] })
  return { status, headers: status === 503 || status === 429 ? { 'retry-after': '1', ...headers } : headers, body }
}

const headersFor = (type: AnswerType) => ({ 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store', vary: 'Accept' })

const HEADERS = {
  'application/json': headersFor('application/json'),
  'application/graphql-response+json': headersFor('application/graphql-response+json'),
} as const

const CHALLENGE = { 'www-authenticate': 'Bearer', 'content-type': 'application/json; charset=utf-8' } as const

function describe(error: unknown, id: string): { readonly status: number; readonly message: string; readonly code: string } {
  if (error instanceof ServiceError) return error
  if (error instanceof PgUnavailable) {
    const unknown = error.reason === 'connection lost' ? '; whether anything was changed is not known' : ''
    return { status: 503, message: `The database does not answer${unknown}`, code: 'DatabaseUnavailable' }
  }
  // what the framework refuses by itself: a body too long, a Content-Type that cannot be read
  const { statusCode = 500, code = '', message = '' } = error as { statusCode?: number; code?: string; message?: string }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return { status: 413, message: 'The body is longer than the limit (STOWAGE_JSON_LIMIT)', code: 'BodyTooLarge' }
  if (statusCode === 415) return unsupportedType('The Content-Type of the body cannot be read: send application/json')
  if (statusCode >= 400 && statusCode < 500) return { status: statusCode, message, code: 'MalformedRequest' }
  return { status: 500, message: `Internal error (request ${id})`, code: 'InternalError' }
}
