import type { FastifyInstance } from 'fastify'

export const UNREADY_REASONS = ['starting', 'draining', 'database', 'migrations', 'store'] as const
export type UnreadyReason = (typeof UNREADY_REASONS)[number]

export type HealthDeps = {
  /** nothing: the service should be given requests */
  readonly whyNotReady: () => Promise<readonly UnreadyReason[]>
}

/** For supervisors and load balancers: `live` says that the process answers, `ready` that it should be given requests, or why not. */
export function registerHealthRoutes(app: FastifyInstance, deps: HealthDeps): void {
  const answer = { config: { quiet: true } }
  app.get('/health/live', answer, (_, reply) => reply.header('cache-control', 'no-store').send({ live: true }))
  app.get('/health/ready', answer, async (_, reply) => {
    const reasons = await deps.whyNotReady()
    const ready = reasons.length === 0
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(ready ? { ready } : { ready, reasons })
  })
}
