import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { DamagedBytes, StoreFailed } from '../../bytes/byte-store.ts'
import { ServiceError } from '../../std/service-error.ts'
import { bytesDamaged, clientGone, contentTypeMalformed, invalidShape, RangeNotSatisfiable, StoreBusy } from '../../storage/errors.ts'
import { namedStoreFailure } from '../../storage/store-error.ts'
import { ClientWentAway } from '../client-signals.ts'
import { dressError, internalError } from '../wire/storage-error.ts'
import { pathOf } from './caller.ts'
import { lingeringBody } from './lingering-body.ts'
import type { RouteContext } from './route-deps.ts'

const RETRY_AFTER_SECONDS = '1'

/** What is said of an object before its first byte could be read does not hold for the error that is sent in its place. */
const OF_THE_OBJECT = ['accept-ranges', 'cache-control', 'content-disposition', 'content-range', 'etag', 'expires', 'last-modified']

/** The answer to whatever a storage route threw. */
export function sendError(context: RouteContext, thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = namedError(thrown) ?? reportBug(thrown, request)
  const { status, body } = dressError(error, context.statusStyle)
  for (const name of OF_THE_OBJECT) reply.removeHeader(name)
  reply.code(status).header('content-type', 'application/json; charset=utf-8')
  if (error instanceof RangeNotSatisfiable) reply.header('content-range', `bytes */${error.size}`)
  if (error.status === 503 || error.status === 429) reply.header('retry-after', waitOf(error))
  const content = Buffer.from(JSON.stringify(body))
  if (request.raw.complete || request.raw.destroyed) return reply.send(content)
  // the rest of the body will not be read
  return reply.header('connection', 'close').header('content-length', String(content.length)).send(lingeringBody(request.raw, content))
}

/** Seconds: what the store behind us asks for, up to a minute. */
const waitOf = (error: ServiceError): string =>
  error instanceof StoreBusy && error.retryAfterSeconds !== null
    ? String(Math.min(60, Math.max(1, error.retryAfterSeconds)))
    : RETRY_AFTER_SECONDS

/** The answer on a path that no route of its family has; the peer's Content-Type has no charset here. */
export function sendNotFound(context: RouteContext, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = pathOf(context, request)
  const { body } = dressError(new ServiceError('NotFound', 404, `Route ${request.method}:${path} not found`), 'real')
  return reply
    .code(404)
    .header('content-type', 'application/json')
    .send(Buffer.from(JSON.stringify(body)))
}

/** The answer below the mount where no family of routes lies: the framework's, by the path as clients know it. */
export function sendNoRoute(context: RouteContext, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = pathOf(context, request)
  return reply.code(404).send({ message: `Route ${request.method}:${path} not found`, error: 'Not Found', statusCode: 404 })
}

/** null: nobody foresaw it */
function namedError(thrown: unknown): ServiceError | null {
  if (thrown instanceof ServiceError) return thrown
  // wherever it was noticed
  if (thrown instanceof ClientWentAway) return clientGone({ cause: thrown })
  // a body that broke before its first byte
  if (thrown instanceof DamagedBytes) return bytesDamaged({ cause: thrown })
  if (thrown instanceof StoreFailed) return namedStoreFailure(thrown)
  const { code, validation, message, statusCode } = thrown as Partial<FastifyError>
  if (validation) return invalidShape(message ?? '')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return contentTypeMalformed()
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new ServiceError('BodyTooLarge', 413, message ?? '')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return new ServiceError('InvalidBody', 400, message ?? '')
  return null
}

/** For an answer that has begun and cannot say any more what went wrong. */
export function reportBrokenOff(thrown: unknown, request: FastifyRequest): void {
  const error = namedError(thrown)
  if (!error || error.status >= 500) reportBug(thrown, request)
}

function reportBug(thrown: unknown, request: FastifyRequest): ServiceError {
  request.log.error({ err: thrown, requestId: request.id }, 'a storage request failed')
  return internalError()
}
