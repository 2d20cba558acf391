import type { FastifyInstance } from 'fastify'
import { connectionSignal } from '../client-signals.ts'
import { callerOf } from './caller.ts'
import type { Operation } from './openapi/operation.ts'
import type { RouteContext } from './route-deps.ts'

/** GET /status, /version and /health, as clients of the peer probe them. The last wants a token of any role and always answers 200. */
export function serviceRoutes(app: FastifyInstance, context: RouteContext): void {
  const describedAs = (id: string, summary: string, credentials: Operation['credentials'], answer: Operation['answer']) => {
    const operation: Operation = { id, summary, credentials, answer }
    return { exposeHeadRoute: true, config: { quiet: true }, schema: { operation } }
  }
  app.get('/status', describedAs('getStatus', 'Whether anybody answers', 'none', 'nothing'), async (_request, reply) => reply.send())
  app.get('/version', describedAs('getVersion', 'The version of the service', 'none', 'text'), async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(context.version),
  )
  app.get('/health', describedAs('getHealth', 'Whether the database answers', 'token', 'Health'), async (request) => {
    await callerOf(context, request, 'storage.bucket.list', 'token empty')
    return { healthy: await context.isHealthy(connectionSignal(request.raw)) }
  })
}
