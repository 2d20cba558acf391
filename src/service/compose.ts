import { createAuthenticate } from '../auth/authenticate.ts'
import { limitCallers } from '../auth/limit-callers.ts'
import type { KeySetSource } from '../config/load-config.ts'
import type { Config } from '../config/options.ts'
import { type App, createApp } from '../http/app.ts'
import { graphqlShortcut } from '../http/graphql/graphql-shortcut.ts'
import { registerGraphqlRoute } from '../http/graphql/route.ts'
import { registerStorageRoutes } from '../http/storage/register-storage-routes.ts'
import { countTraffic, watchRequests } from '../http/watch-requests.ts'
import type { Log } from '../observe/log.ts'
import { milliseconds } from '../std/brand.ts'
import { composeGraphql } from './compose-graphql.ts'
import { composeStorage } from './compose-storage.ts'
import { openConnections } from './connections.ts'
import { followKeySet } from './follow-key-set.ts'
import { openLookout, type Reading } from './lookout.ts'
import { type DatabaseAccess, lastMigration } from './open-database.ts'
import { createReadiness } from './readiness.ts'

export type Composed = {
  readonly app: App
  /** null: nobody asked for metrics */
  readonly reading: Reading | null
  /** from now on the service says that it is ready, and sweeps */
  readonly begin: () => void
  /** from now on it says that it is not */
  readonly withdraw: () => void
  /** lets go of everything but the HTTP server */
  readonly end: () => Promise<void>
}

const HEALTH_LIMIT = milliseconds(1_000)
const MARK_LIFE_MS = 10_000
/** A key that leaves the set is refused within five seconds. */
const KEY_SET_LOOK = milliseconds(2_000)

/** Builds everything out of the configuration, and starts nothing. The only place that knows every part. */
export async function compose(deps: {
  readonly config: Config
  readonly dataFolder: string
  readonly jwtSecret: string
  readonly keySet: KeySetSource | null
  readonly access: DatabaseAccess
  readonly log: Log
}): Promise<Composed> {
  const { config, dataFolder, jwtSecret, log } = deps
  const lookout = await openLookout(config, log)
  const { observe, watching } = lookout
  const keySet = followKeySet({ secret: jwtSecret, source: deps.keySet, observe, everyMs: KEY_SET_LOOK })
  const verify = createAuthenticate({ keys: keySet.keys, extraRoles: config.extraRoles, now: () => new Date() })
  const authenticate = watching.authenticate(limitCallers(verify, config.callerRate, () => performance.now()))
  const connections = watching.connections(openConnections(config, deps.access, observe))
  try {
    const storage = await composeStorage({ config, dataFolder, jwtSecret, connections, authenticate, observe, watching })
    const graphql = composeGraphql(config, connections, authenticate, observe, watching)
    let phase: 'starting' | 'serving' | 'draining' = 'starting'
    const whyNotReady = createReadiness({
      phase: () => phase,
      query: connections.query,
      readMark: storage.readMark,
      lastMigration: await lastMigration(),
      limitMs: HEALTH_LIMIT,
      markLifeMs: MARK_LIFE_MS,
    })
    const app = await createApp({
      ...config,
      logger: log.logger,
      observe,
      whyNotReady,
      ...(lookout.requests || lookout.metrics
        ? {
            watch: (app: App) => {
              if (lookout.requests) watchRequests(app, lookout.requests, { header: config.serverTiming })
              if (lookout.metrics) countTraffic(app, observe)
            },
          }
        : {}),
      pendingWrites: connections.pendingWrites,
      faces: [
        { prefix: '', register: (scope) => registerStorageRoutes(scope, storage.routes) },
        { prefix: '/storage/v1', register: (scope) => registerStorageRoutes(scope, storage.routes) },
        { prefix: '', register: (scope) => registerGraphqlRoute(scope, graphql) },
      ],
      shortcut: graphqlShortcut({ ...graphql, remembered: authenticate.remembered, observe }),
    })
    return {
      app,
      reading: lookout.metrics?.read(connections, async () => (await whyNotReady()).length === 0) ?? null,
      begin: () => {
        phase = 'serving'
        storage.start()
      },
      withdraw: () => {
        phase = 'draining'
      },
      end: async () => {
        keySet.end()
        await storage.stop()
        await connections.end()
        await lookout.end()
      },
    }
  } catch (error) {
    keySet.end()
    await connections.end()
    await lookout.end()
    throw error
  }
}
