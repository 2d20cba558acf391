import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RoleContext } from '../../auth/role-context.ts'
import type { GraphqlRequest } from '../../graphql/operation/operation.ts'
import { PgCancelled, PgUnavailable } from '../../pg/pg-error.ts'
import type { Bytes } from '../../std/brand.ts'
import { invariant } from '../../std/invariant.ts'
import { ServiceError } from '../../std/service-error.ts'
import { withWritten } from '../written-header.ts'
import { answerType } from './answer-type.ts'
import { identifyCaller } from './identify-caller.ts'
import { readBody, readQueryString, unsupportedType } from './read-request.ts'

export type GraphqlRouteDeps = {
  readonly authenticate: (token: string) => Promise<RoleContext>
  /** `requestError`: nothing was executed, the request itself is at fault */
  readonly resolve: (
    as: RoleContext,
    request: GraphqlRequest,
    signal: AbortSignal,
  ) => Promise<{ readonly text: string; readonly requestError: boolean }>
  /** null when the request is at fault, which `resolve` will tell */
  readonly operationKind: (request: GraphqlRequest) => 'query' | 'mutation' | 'subscription' | null
  readonly maxBodyBytes: Bytes
}

declare module 'fastify' {
  interface FastifyRequest {
    graphqlCaller: RoleContext | null
  }
}

/**
 * `POST /graphql/v1`, and GET for queries, as GraphQL over HTTP has them. Call it in a context of its own: it sets body parsers and
 * an error handler.
 *
 * Under `application/json` every well-formed request is answered with 200. Under `application/graphql-response+json`, if the client
 * prefers it, requests of which nothing was executed are answered with 400 and without `data`.
 */
export function registerGraphqlRoute(app: FastifyInstance, deps: GraphqlRouteDeps): void {
  app.decorateRequest('graphqlCaller', null)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: deps.maxBodyBytes }, (_, body, done) => done(null, body))
  app.setErrorHandler(sendError)

  // before the body is read
  const onRequest = async (request: FastifyRequest) => {
    request.graphqlCaller = withWritten(await identifyCaller(request, deps.authenticate), request.headers)
    request.caller = request.graphqlCaller
    request.callerRole = request.graphqlCaller.role
  }

  app.post(PATH, { onRequest }, (request, reply) => answer(deps, request, reply, readBody(request.headers, request.body)))

  app.get(PATH, { onRequest, exposeHeadRoute: false }, (request, reply) => {
    const asked = readQueryString(request.query)
    if (deps.operationKind(asked) !== 'mutation') return answer(deps, request, reply, asked)
    reply.header('allow', 'POST')
    throw new ServiceError('MethodNotAllowed', 405, 'Mutations must be sent by POST')
  })

  app.route({
    method: ['HEAD', 'PUT', 'PATCH', 'DELETE'],
    url: PATH,
    handler: (_, reply) => {
      reply.header('allow', 'GET, POST')
      throw new ServiceError('MethodNotAllowed', 405, 'GraphQL requests are sent by POST, queries also by GET')
    },
  })
}

const PATH = '/graphql/v1'

async function answer(deps: GraphqlRouteDeps, request: FastifyRequest, reply: FastifyReply, asked: GraphqlRequest): Promise<FastifyReply> {
  const as = request.graphqlCaller
  invariant(as !== null, 'a GraphQL request came past identifyCaller')
  const { text, requestError } = await deps.resolve(as, asked, abortedWhenGone(reply))
  if (requestError && answerType(request.headers.accept) === 'application/graphql-response+json') {
    return send(request, reply, 400, text.replace(/^\{"data":null,/, '{'))
  }
  return send(request, reply, 200, text)
}

const send = (request: FastifyRequest, reply: FastifyReply, status: number, text: string): FastifyReply =>
  reply
    .code(status)
    .header('content-type', `${answerType(request.headers.accept)}; charset=utf-8`)
    .header('cache-control', 'no-store')
    .header('vary', 'Accept')
    .send(text)

/** Aborts when the client leaves before it has its answer. */
function abortedWhenGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort()
  })
  if (reply.raw.destroyed) gone.abort()
  return gone.signal
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (error instanceof PgCancelled) {
    // nobody is there to read it; the status is for the log
    reply.code(499).send()
    return
  }
  const { status, message, code } = describe(error, request)
  if (status >= 500) request.log.error({ err: error }, 'graphql request failed')
  if (status === 503 || status === 429) reply.header('retry-after', '1')
  if (status === 401 || status === 403) {
    reply.code(status).header('www-authenticate', 'Bearer').type('application/json; charset=utf-8').send(JSON.stringify({ message }))
    return
  }
  send(request, reply, status, JSON.stringify({ errors: [{ message, extensions: { code } }] }))
}

function describe(error: unknown, request: FastifyRequest): { readonly status: number; readonly message: string; readonly code: string } {
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
  return { status: 500, message: `Internal error (request ${request.id})`, code: 'InternalError' }
}
