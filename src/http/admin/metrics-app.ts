import { createHash, timingSafeEqual } from 'node:crypto'
import { type FastifyBaseLogger, fastify, LogController } from 'fastify'
import { METRICS_TYPE } from '../../observe/measurements.ts'
import type { App } from '../app.ts'
import { bearerOf } from '../credentials.ts'

export type MetricsAppDeps = {
  readonly text: () => Promise<string>
  /** null: whoever reaches the address may read */
  readonly token: string | null
  readonly logger: FastifyBaseLogger
}

/** A server of its own with `GET /metrics` and nothing else, so that what is open to the world tells no numbers. */
export function createMetricsApp({ text, token, logger }: MetricsAppDeps): App {
  const app: App = fastify({ loggerInstance: logger, logController: new LogController({ disableRequestLogging: true }), bodyLimit: 1 })
  app.get('/metrics', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    if (token !== null && !isSame(bearerOf(request.headers, null) ?? '', token))
      return reply
        .code(401)
        .header('www-authenticate', 'Bearer')
        .send({ statusCode: 401, error: 'Unauthorized', message: 'Send the token' })
    return reply.type(METRICS_TYPE).send(await text())
  })
  return app
}

/** Digests have one length, and comparing them takes one time. */
const isSame = (given: string, wanted: string): boolean => timingSafeEqual(digest(given), digest(wanted))
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
