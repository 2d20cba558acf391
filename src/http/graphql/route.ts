import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RoleContext } from '../../auth/role-context.ts'
import type { GraphqlRequest } from '../../graphql/operation/operation.ts'
import type { Resolved } from '../../graphql/resolve.ts'
import { textOf } from '../../graphql/respond.ts'
import type { Bytes } from '../../std/brand.ts'
import { invariant } from '../../std/invariant.ts'
import { ServiceError } from '../../std/service-error.ts'
import { withWritten } from '../written-header.ts'
import { type Answer, answerFailure, answerResolved } from './answer.ts'
import { identifyCaller } from './identify-caller.ts'
import { readBody, readQueryString } from './read-request.ts'

export type GraphqlRouteDeps = {
  readonly authenticate: (token: string) => Promise<RoleContext>
  readonly resolve: (as: RoleContext, request: GraphqlRequest, signal: AbortSignal) => Promise<Resolved>
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
    const as = withWritten(await identifyCaller(request, deps.authenticate), request.headers)
    request.graphqlCaller = as
    request.caller = as
    request.callerRole = as.role
  }

  app.post(GRAPHQL_PATH, { onRequest }, (request, reply) => answer(deps, request, reply, readBody(request.headers, request.body)))

  app.get(GRAPHQL_PATH, { onRequest, exposeHeadRoute: false }, (request, reply) => {
    const asked = readQueryString(request.query)
    if (deps.operationKind(asked) !== 'mutation') return answer(deps, request, reply, asked)
    reply.header('allow', 'POST')
    throw new ServiceError('MethodNotAllowed', 405, 'Mutations must be sent by POST')
  })

  app.route({
    method: ['HEAD', 'PUT', 'PATCH', 'DELETE'],
    url: GRAPHQL_PATH,
    handler: (_, reply) => {
      reply.header('allow', 'GET, POST')
      throw new ServiceError('MethodNotAllowed', 405, 'GraphQL requests are sent by POST, queries also by GET')
    },
  })
}

export const GRAPHQL_PATH = '/graphql/v1'

async function answer(deps: GraphqlRouteDeps, request: FastifyRequest, reply: FastifyReply, asked: GraphqlRequest): Promise<FastifyReply> {
  const as = request.graphqlCaller
  invariant(as !== null, 'a GraphQL request came past identifyCaller')
  return send(reply, answerResolved(await deps.resolve(as, asked, abortedWhenGone(reply)), request.headers.accept))
}

function send(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  // beside what CORS has said of the origin
  const before = reply.getHeader('vary')
  reply.code(status).headers(headers)
  if (before !== undefined) reply.header('vary', [before, headers.vary ?? []].flat().join(', '))
  return reply.send(textOf(body))
}

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
  const answer = answerFailure(error, request.id, request.headers.accept)
  if (answer.status >= 500) request.log.error({ err: error }, 'graphql request failed')
  send(reply, answer)
}
