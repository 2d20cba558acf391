import type { FastifyInstance } from 'fastify'

export type HealthDeps = {
  /** false from the moment the service begins to stop, and while its database does not answer */
  readonly isReady: () => Promise<boolean>
}

/** For supervisors and load balancers: `live` says that the process answers, `ready` that it should be given requests. */
export function registerHealthRoutes(app: FastifyInstance, deps: HealthDeps): void {
  const answer = { config: { quiet: true } }
  app.get('/health/live', answer, (_, reply) => reply.header('cache-control', 'no-store').send({ live: true }))
  app.get('/health/ready', answer, async (_, reply) => {
    const ready = await deps.isReady()
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ ready })
  })
}
