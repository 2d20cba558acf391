import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCatalogCache } from '../../src/catalog/cache.ts'
import { readGrants, reflectCatalog } from '../../src/catalog/reflect.ts'
import { TURNS } from '../../src/catalog/turns.ts'
import { createDocumentCache } from '../../src/graphql/operation/document-cache.ts'
import { DEFAULT_GRAPHQL_LIMITS } from '../../src/graphql/operation/limits.ts'
import { GraphqlError } from '../../src/graphql/operation/operation.ts'
import { readJson } from '../../src/graphql/operation/read-json.ts'
import { printPlan } from '../../src/graphql/plan/print-plan.ts'
import { createPlanCache } from '../../src/graphql/plan-cache.ts'
import { planRequest } from '../../src/graphql/prepare.ts'
import { type ResolveDeps, resolve } from '../../src/graphql/resolve.ts'
import { textOf } from '../../src/graphql/respond.ts'
import { createRoleSchemas } from '../../src/graphql/role-schemas.ts'
import type { RoleSchema } from '../../src/graphql/schema/role-schema.ts'
import { compileOperation } from '../../src/graphql/sql/compile-operation.ts'
import { createPgPool, type PgPool } from '../../src/pg/pool.ts'
import { milliseconds, roleName } from '../../src/std/brand.ts'
import { atOnce } from '../../src/std/in-turns.ts'
import { expectGolden, goldenFiles, headingValue, readGolden, sectionOf } from '../support/golden.ts'
import { type FreshDatabase, freshDatabase, withClient } from '../support/postgres.ts'

const FOLDER = join(import.meta.dirname, 'golden')
const files = await goldenFiles(FOLDER)

let template: FreshDatabase
beforeAll(async () => {
  template = await freshDatabase('golden_graphql')
  const sql = await readFile(join(FOLDER, 'library.sql'), 'utf8')
  await withClient(template.url, (client) => client.query(sql))
})
afterAll(() => template.drop())

/** Everything one request needs, and a count of the trips it made. */
function serviceOn(url: string) {
  let trips = 0
  const pool: PgPool = createPgPool({
    url,
    applicationName: 'golden',
    maxConnections: 1,
    waitMs: milliseconds(20_000),
    maxWaiting: 10,
    graceMs: milliseconds(1_000),
    mostPrepared: 100,
    searchPath: 'public',
    statementTimeoutMs: () => 5_000,
    onTrip: () => {
      trips++
    },
  })
  const deps: ResolveDeps = {
    limits: DEFAULT_GRAPHQL_LIMITS,
    documents: createDocumentCache(DEFAULT_GRAPHQL_LIMITS),
    turns: TURNS,
    plans: createPlanCache({ maxDocuments: 10, maxCharacters: 1_000_000 }),
    catalog: createCatalogCache({ reflect: () => reflectCatalog(pool.query, ['public']), patienceMs: 1_000 }),
    schemaOf: createRoleSchemas({ readGrants: (catalog, asked) => readGrants(pool.query, catalog, ['public'], asked), turns: TURNS }),
    run: pool.runForBytes,
    searchPath: 'public',
  }
  return {
    deps,
    end: pool.end,
    tripsOf: async <T>(work: () => Promise<T>) => {
      const before = trips
      const result = await work()
      return { result, trips: trips - before }
    },
  }
}

describe('golden', () => {
  test.each(files.map((file) => [basename(file, '.golden'), file]))('%s', async (_name, file) => {
    const golden = await readGolden(file)
    const role = roleName(headingValue(golden, 'role') ?? 'anon')
    const request = {
      query: sectionOf(golden, 'request') ?? '',
      variables: readJson(headingValue(golden, 'variables') ?? '{}'),
      operationName: null,
    }
    const service = serviceOn(template.url)
    try {
      const catalog = await service.deps.catalog.current()
      const as = { role, subject: null, claims: JSON.stringify({ role }), token: '' }
      // mutations leave the fixture as it was
      const deps = {
        ...service.deps,
        run: (batch: Parameters<PgPool['runForBytes']>[0], signal: AbortSignal) => service.deps.run({ ...batch, end: 'roll back' }, signal),
      }
      const cold = await service.tripsOf(() => resolve(deps, as, request, AbortSignal.timeout(5_000)))
      const hot = await service.tripsOf(() => resolve(deps, as, request, AbortSignal.timeout(5_000)))
      expect(textOf(hot.result.text), 'a cached plan answers the same').toBe(textOf(cold.result.text))
      expect(hot.trips).toBe(1)
      const shown = show(service.deps, await service.deps.schemaOf(catalog, role), request)
      await expectGolden(file, {
        heading: golden.heading,
        sections: [
          ['request', request.query],
          ['plan', shown.plan],
          [
            `sql (statements: ${shown.statements.length}, trips: ${cold.trips})`,
            shown.statements.map(({ text }) => breakLines(text)).join('\n\n'),
          ],
          ['values', shown.statements.map(({ params }) => JSON.stringify(params.map(({ text }) => text))).join('\n')],
          ['response', textOf(cold.result.text)],
        ],
      })
    } finally {
      await service.end()
    }
  })
})

function show(deps: ResolveDeps, schema: RoleSchema, request: Parameters<typeof planRequest>[2]) {
  try {
    const { planned } = atOnce(planRequest(deps, schema, request))
    return {
      plan: printPlan(planned.kind, planned.roots),
      statements: compileOperation(planned.kind, planned.roots, deps.limits.responseBytes).statements,
    }
  } catch (error) {
    if (!(error instanceof GraphqlError)) throw error
    return { plan: 'none: the request was refused', statements: [] }
  }
}

/** Long SQL in lines that a reader can follow; the statement itself is one line. */
const breakLines = (text: string): string => text.replaceAll(/ (?=from |where |order by |limit |values |returning |set )|(?<=\*\/) /g, '\n')
