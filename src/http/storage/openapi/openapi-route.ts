import type { FastifyInstance, RouteOptions } from 'fastify'
import { lazy } from '../../../std/lazy.ts'
import type { RouteContext } from '../route-deps.ts'
import { buildDocument, type DescribedRoute } from './build-document.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Operation } from './operation.ts'

const OPERATION: Operation = {
  id: 'getDescription',
  summary: 'This description',
  credentials: 'none',
  answer: 'OpenAPI',
}

/**
 * GET /openapi.json: the API as OpenAPI describes it, made from the schemas that requests are checked against. Called before the routes it
 * is to know of are registered.
 */
export function openapiRoute(app: FastifyInstance, context: RouteContext): void {
  const routes: DescribedRoute[] = []
  app.addHook('onRoute', (route) => {
    routes.push(...describedRoutes(route))
  })
  const text = lazy(() => JSON.stringify(buildDocument(routes, context.mount, context.version)))
  app.get('/openapi.json', { schema: { operation: OPERATION }, config: { quiet: true }, exposeHeadRoute: true }, (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(text()),
  )
}

function describedRoutes({ method, url, schema }: RouteOptions): readonly DescribedRoute[] {
  const operation = schema?.operation
  if (!operation) return []
  const body = (schema.body ?? null) as JsonSchema | null
  const query = (schema.querystring ?? null) as JsonSchema | null
  return [method].flat().map((each) => ({ method: each, url, operation, body, query }))
}
