import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify'
import type { RoleContext } from '../auth/role-context.ts'
import type { Observe } from '../observe/observation.ts'
import type { Bytes, Milliseconds } from '../std/brand.ts'
import { ServiceError } from '../std/service-error.ts'
import { type HealthDeps, registerHealthRoutes } from './admin/health.ts'
import { corsHeaders, registerCors } from './cors.ts'
import { hasTokenInQuery, withoutCredentials } from './credentials.ts'
import { goAheadWhenRead } from './go-ahead.ts'
import { limitAddresses } from './limit-addresses.ts'
import { answerOneAtATime } from './one-at-a-time.ts'
import { type Pace, paceBodies } from './pace-bodies.ts'
import { refuseExpectation, refuseUnparsed, refuseUnroutable } from './refuse-early.ts'
import { screenRequest } from './screen-request.ts'
import { type Shortcut, takeShortcut } from './shortcut.ts'
import { STORAGE_FRAMEWORK_OPTIONS } from './storage/framework-options.ts'
import { tellWritten } from './written-header.ts'

/** The server, for whoever starts and stops it. */
export type App = FastifyInstance

export type AppOptions = HealthDeps &
  Pace & {
    readonly corsOrigins: readonly string[]
    readonly jsonLimit: Bytes
    readonly headerTimeout: Milliseconds
    readonly idleTimeout: Milliseconds
    readonly maxConnections: number
    /** requests a second from one address on average; 0, as without it: no limit */
    readonly addressRate?: number
    readonly logger: FastifyBaseLogger
    readonly observe: Observe
    /** adds the hooks of those who watch requests */
    readonly watch?: (app: App) => void
    /** a caller's transactions that a standby has not shown yet; absent: there is no standby */
    readonly pendingWrites?: ((as: RoleContext) => readonly bigint[]) | undefined
    /** each registers its routes in a context of its own */
    readonly faces: readonly Face[]
    readonly shortcut?: Shortcut
  }

export type Face = { readonly prefix: string; readonly register: (scope: FastifyInstance) => void | Promise<void> }

declare module 'fastify' {
  interface FastifyRequest {
    /** the role of the caller, noted by whoever authenticates, for the log */
    callerRole: string | null
    caller: RoleContext | null
  }
  interface FastifyContextConfig {
    /** no line in the log unless it fails */
    quiet?: boolean
  }
}

const MAX_HEADER_BYTES = 16_384
const KEEP_ALIVE_MS = 65_000
/** How often connections are looked at for time that ran out. */
const CHECK_MS = 1_000
const REQUEST_ID = /^[\w.:-]{1,64}$/

const STANDING_HEADERS = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' } as const

/** The HTTP server with what holds for every route; what is particular to a face lies in the face. */
export async function createApp(options: AppOptions): Promise<App> {
  const app: App = fastify({
    ...STORAGE_FRAMEWORK_OPTIONS,
    loggerInstance: options.logger,
    // its lines hold addresses, and addresses hold tokens: observeRequest writes ours
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    clientErrorHandler: refuseUnparsed,
    frameworkErrors: refuseUnroutable,
    bodyLimit: options.jsonLimit,
    exposeHeadRoutes: false,
    // a large file takes as long as it takes; standing still is what is limited
    requestTimeout: 0,
    connectionTimeout: options.idleTimeout,
    keepAliveTimeout: Math.min(KEEP_ALIVE_MS, options.idleTimeout),
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: options.headerTimeout,
      connectionsCheckingInterval: CHECK_MS,
      // screenRequest sees to it, with an answer like all others
      requireHostHeader: false,
    },
  })
  // bounded by their bytes; a bound by number would drop headers without a word
  app.server.maxHeadersCount = 0
  app.server.maxConnections = options.maxConnections
  app.server.on(
    'checkContinue',
    goAheadWhenRead((request, response) => app.server.emit('request', request, response)),
  )
  app.server.on('checkExpectation', refuseExpectation)

  app.decorateRequest('callerRole', null)
  app.decorateRequest('caller', null)
  app.addHook('onRequest', (request, reply, done) => {
    // the framework's own hook is not called for a client that went away
    reply.raw.once('close', () => observeRequest(options.observe, request, reply))
    done()
  })
  options.watch?.(app)
  app.addHook('onRequest', refuseUnclear)
  limitAddresses(app, options.addressRate ?? 0)
  const watchBody = paceBodies(app, options)
  app.addHook('onSend', addStandingHeaders)
  if (options.pendingWrites) tellWritten(app, options.pendingWrites)
  app.setErrorHandler((error, request, reply) => sendError(options.observe, error, request, reply))
  app.setNotFoundHandler((request, reply) => {
    const message = `Route ${request.method}:${withoutCredentials(request.url)} not found`
    return reply.code(404).send({ message, error: 'Not Found', statusCode: 404 })
  })
  await registerCors(app, options.corsOrigins)
  registerHealthRoutes(app, options)
  for (const face of options.faces) await app.register(async (scope) => face.register(scope), { prefix: face.prefix })
  // who watches, counts or adds to every request does so in the framework's hooks
  if (options.shortcut && !options.addressRate && !options.watch && !options.pendingWrites) {
    const headers = [...corsHeaders(options.corsOrigins), ...Object.entries(STANDING_HEADERS).flat()]
    const variesByOrigin = !options.corsOrigins.includes('*')
    takeShortcut(app, options.shortcut, { observe: options.observe, requestId, watchBody, headers, variesByOrigin })
  }
  answerOneAtATime(app.server)
  return app
}

/** One that a proxy in front has given is kept if it is short and plain. */
function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
}

async function refuseUnclear(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
  const refusal = screenRequest(request.raw)
  if (refusal === null) return
  return reply
    .code(refusal.status)
    .header('connection', 'close')
    .send({ statusCode: refusal.status, error: 'Bad Request', message: refusal.message })
}

async function addStandingHeaders(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  reply.headers(STANDING_HEADERS)
  reply.header('x-request-id', request.id)
  if (hasTokenInQuery(request.query)) reply.header('cache-control', 'private, no-store')
  else if (reply.statusCode >= 400 && !reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  return payload
}

function observeRequest(observe: Observe, request: FastifyRequest, reply: FastifyReply): void {
  const { config } = request.routeOptions
  if (config.quiet && reply.statusCode < 400) return
  const bytes = Number(reply.getHeader('content-length') ?? Number.NaN)
  observe({
    kind: 'request',
    id: request.id,
    method: request.method,
    route: request.is404 ? null : (request.routeOptions.url ?? null),
    status: reply.statusCode,
    ms: reply.elapsedTime,
    role: request.callerRole,
    bytes: Number.isNaN(bytes) ? null : bytes,
    aborted: !reply.raw.writableFinished,
  })
}

/** For routes of no face. A fault of ours is told by its request's id only. */
function sendError(observe: Observe, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, code, message } = describe(error)
  if (status < 500) return reply.code(status).send({ statusCode: status, error: code, message })
  observe({ kind: 'failure', message: 'a request failed', error, requestId: request.id })
  return reply.code(status).send({ statusCode: status, error: 'Internal', message: `Internal error (request ${request.id})` })
}

function describe(error: unknown): { readonly status: number; readonly code: string; readonly message: string } {
  if (error instanceof ServiceError) return error
  // what the framework refuses by itself
  const { statusCode = 500, code = 'Error', message = '' } = error as Partial<FastifyError>
  return { status: statusCode, code, message }
}
