import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'

/** What browsers may read beside the body: clients of storage and of downloads in parts look at these. */
const EXPOSED = [
  'ETag',
  'Content-Range',
  'Content-Length',
  'Content-Disposition',
  'Accept-Ranges',
  'Last-Modified',
  'Location',
  'Retry-After',
  'X-Request-Id',
  'Stowage-Written',
]

/** Names and values in turn, of the answer to a request that is no preflight and, unless every origin is allowed, names no origin. */
export const corsHeaders = (origins: readonly string[]): readonly string[] => [
  ...(origins.includes('*') ? ['access-control-allow-origin', '*'] : []),
  'access-control-expose-headers',
  EXPOSED.join(', '),
]

const PREFLIGHT_SECONDS = 600

/**
 * Answers browsers (Fetch standard, CORS protocol): any request header is allowed to the origins listed, cookies never, since tokens
 * travel in headers that a foreign page does not have.
 */
export async function registerCors(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  await app.register(cors, {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    exposedHeaders: EXPOSED,
    credentials: false,
    maxAge: PREFLIGHT_SECONDS,
    // an OPTIONS request that is no preflight is answered the same way
    strictPreflight: false,
  })
}
