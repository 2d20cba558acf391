import type { FastifyRequest } from 'fastify'
import type { RoleContext } from '../../auth/role-context.ts'
import { ServiceError } from '../../std/service-error.ts'
import type { Call } from '../../storage/deps.ts'
import { invalidShape } from '../../storage/errors.ts'
import type { Reader } from '../../storage/object/find-object.ts'
import { type Operation, storageSettings } from '../../storage/settings.ts'
import { bearerOf, withoutCredentials } from '../credentials.ts'
import { withWritten } from '../written-header.ts'
import type { RouteContext } from './route-deps.ts'

/** What is said where a token is wanted and there is none: most routes ask for the header, some read an empty token. */
export type WithoutToken = 'header missing' | 'token empty'

/**
 * Who asks, for a route that wants a token. Called by handlers, so that a body or query which is wrong is told first.
 * @throws InvalidShape without a token; what authentication throws
 */
export async function callerOf(
  context: RouteContext,
  request: FastifyRequest,
  operation: Operation,
  without: WithoutToken = 'header missing',
): Promise<Call> {
  const token = bearerOf(request.headers, request.query)
  if (token === null && without === 'header missing') throw invalidShape("headers must have required property 'authorization'")
  return callAs(context, await context.authenticate(token ?? ''), request, operation)
}

/** For routes that look at no token: who holds a signed address, or reads what is public. */
export const anonymousCall = (context: RouteContext, request: FastifyRequest, operation: Operation): Call =>
  callAs(context, context.anonymous, request, operation)

/** Who reads, for a route where a token is wanted. One whose role may not be taken on still reads what is public. */
export async function readerOf(context: RouteContext, request: FastifyRequest, operation: Operation): Promise<Reader> {
  try {
    return { call: await callerOf(context, request, operation), refusal: null }
  } catch (error) {
    if (!isUnknownRole(error)) throw error
    return { call: anonymousCall(context, request, operation), refusal: error }
  }
}

/** Who reads, for a route that does without: a token that is not accepted counts as none. */
export async function anyReaderOf(context: RouteContext, request: FastifyRequest, operation: Operation): Promise<Reader> {
  const token = bearerOf(request.headers, request.query)
  const as =
    token === null
      ? null
      : await context.authenticate(token).catch((error) => (error instanceof ServiceError ? null : Promise.reject(error)))
  return as
    ? { call: callAs(context, as, request, operation), refusal: null }
    : { call: anonymousCall(context, request, operation), refusal: 'nobody' }
}

function callAs(context: RouteContext, known: RoleContext, request: FastifyRequest, operation: Operation): Call {
  const as = withWritten(known, request.headers)
  request.caller = as
  request.callerRole = as.role
  const facts = { method: request.method, path: pathOf(context, request), headers: request.headers }
  return { as, settings: storageSettings(operation, facts) }
}

/** Path and query as clients and policies know them: without the prefix the routes are mounted at, and without a session token. */
export const pathOf = ({ mount }: RouteContext, request: FastifyRequest): string => withoutCredentials(request.url.slice(mount.length))

const isUnknownRole = (error: unknown): error is ServiceError => error instanceof ServiceError && error.code === 'UnknownRole'
