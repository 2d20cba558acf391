import { pino } from 'pino'
import { createApp } from '../../src/http/app.ts'
import type { GraphqlRouteDeps } from '../../src/http/graphql/route.ts'
import { registerGraphqlRoute } from '../../src/http/graphql/route.ts'
import { registerStorageRoutes } from '../../src/http/storage/register-storage-routes.ts'
import type { StorageRouteDeps } from '../../src/http/storage/route-deps.ts'
import { bytes, milliseconds } from '../../src/std/brand.ts'

/** `METHOD /path` of every route that the faces register, as the router knows them; nothing behind them is there. */
export async function routeTable(): Promise<readonly string[]> {
  const routes: string[] = []
  const app = await createApp({
    corsOrigins: ['*'],
    jsonLimit: bytes(1),
    headerTimeout: milliseconds(1),
    idleTimeout: milliseconds(1),
    slowBodyGrace: milliseconds(60_000),
    minBodyRate: bytes(1024),
    maxConnections: 1,
    logger: pino({ level: 'silent' }),
    observe: () => undefined,
    whyNotReady: async () => [],
    faces: [
      {
        prefix: '',
        register: async (scope) => {
          scope.addHook('onRoute', ({ method, url }) => {
            routes.push(...[method].flat().map((name) => `${name} ${url}`))
          })
          await registerStorageRoutes(scope, {} as StorageRouteDeps)
          registerGraphqlRoute(scope, { maxBodyBytes: bytes(1) } as GraphqlRouteDeps)
        },
      },
    ],
  })
  await app.ready()
  await app.close()
  return [...new Set(routes)].filter((route) => !/^(?:HEAD|PUT|PATCH|DELETE) \/graphql/.test(route))
}
