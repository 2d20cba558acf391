import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema, validateSchema } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withClient } from '../../support/postgres.ts'
import { DOCUMENTS, UNKNOWN_FIELD } from './documents.ts'
import { type Installed, installClients } from './install-clients.ts'
import { type MusicService, startMusicService } from './music-service.ts'

const run = promisify(execFile)
const ARTIST = 'Antônio Carlos Jobim'
const CLIENTS = ['@apollo/client@4', 'rxjs@7', '@urql/core@6', 'graphql-request@7', 'graphql@16']
const GENERATORS = ['@graphql-codegen/core@6', '@graphql-codegen/typescript@6', '@graphql-codegen/typescript-operations@6', 'graphql@16']
const RELAY = ['relay-compiler@20']

let service: MusicService
const installed = new Map<readonly string[], Installed | string>()
beforeAll(async () => {
  const wanted = [CLIENTS, GENERATORS, RELAY]
  const [started, ...answers] = await Promise.all([startMusicService(), ...wanted.map(installClients)])
  service = started
  wanted.forEach((packages, i) => {
    const answer = answers[i] ?? 'nothing was asked for'
    installed.set(packages, answer)
    if (typeof answer === 'string') console.warn(`Skipped: ${answer}`)
  })
}, 180_000)
afterAll(() => service?.stop())

const headers = () => ({ apikey: service.anonKey, authorization: `Bearer ${service.anonKey}` })
const given = () => ({
  url: service.graphqlUrl,
  headers: headers(),
  documents: { ...DOCUMENTS, unknownField: UNKNOWN_FIELD },
  artist: ARTIST,
})

async function send(body: unknown, own: Record<string, string> = headers()): Promise<{ readonly status: number; readonly json: unknown }> {
  const answer = await fetch(service.graphqlUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...own },
    body: JSON.stringify(body),
  })
  return { status: answer.status, json: await answer.json() }
}

/** Clients add `__typename`; what they have beyond that must be what was sent. */
function withoutTypenames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTypenames)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (key === '__typename' ? [] : [[key, withoutTypenames(member)]])),
  )
}

/** The names in the order asked for, by the database. */
const artistNames = () =>
  withClient(service.databaseUrl, async (client) =>
    (await client.query('select name from artist order by name, artist_id')).rows.map(({ name }) => name),
  )

type Told = {
  readonly nested: unknown
  readonly walk: { readonly pages: number; readonly names: readonly string[] }
  readonly insert: {
    readonly insertIntoReviewCollection: { readonly affectedCount: number; readonly records: readonly { readonly id: string }[] }
  }
  readonly update: unknown
  readonly remove: unknown
  readonly unknownField: unknown
  readonly databaseError: unknown
  readonly withoutKey: unknown
  readonly [more: string]: unknown
}

describe('clients of applications, unmodified', () => {
  const drive = async (driver: string, skip: (note: string) => void): Promise<Told | null> => {
    const clients = installed.get(CLIENTS)
    if (typeof clients !== 'object') {
      skip(clients ?? 'not installed')
      return null
    }
    return withoutTypenames(await clients.drive(driver, given())) as Told
  }

  async function expectTheUsual(told: Told, says: string): Promise<void> {
    const { json } = await send({ query: DOCUMENTS.nested, variables: { artist: ARTIST } })
    expect(told.nested).toEqual((json as { data: unknown }).data)
    expect(told.nested).toMatchObject({ artistCollection: { edges: [{ node: { name: ARTIST } }] } })
    const names = await artistNames()
    expect(told.walk).toEqual({ pages: Math.ceil(names.length / 30), names })
    const [record] = told.insert.insertIntoReviewCollection.records
    expect(told.insert).toMatchObject({
      insertIntoReviewCollection: { affectedCount: 1, records: [{ stars: 4, body: says, artist: { name: 'AC/DC' } }] },
    })
    expect(record?.id).toMatch(/^\d+$/)
    expect(told.update).toMatchObject({ updateReviewCollection: { affectedCount: 1, records: [{ id: record?.id, stars: 5 }] } })
    expect(told.remove).toMatchObject({ deleteFromReviewCollection: { affectedCount: 1 } })
    expect(told.unknownField).toMatchObject({ errors: [{ message: `Unknown field 'nonsense' on type 'Artist'` }] })
    expect(told.databaseError).toMatchObject({ errors: [{ message: expect.stringContaining('review_stars_check'), code: '23514' }] })
  }

  test('Apollo Client: its cache puts pages together and follows mutations', { timeout: 60_000 }, async ({ skip }) => {
    const told = await drive('apollo.js', skip)
    if (!told) return
    await expectTheUsual(told, 'said by Apollo')
    expect(told.unknownField).toMatchObject({ name: 'CombinedGraphQLErrors' })
    expect(told.cached).toMatchObject({ node: { stars: 5, body: 'said by Apollo' } })
    expect(told.byGet).toEqual(told.nested)
    expect(told.withoutKey).toMatchObject({ name: 'ServerError', status: 401 })
  })

  test('urql: queries by GET as it likes', { timeout: 60_000 }, async ({ skip }) => {
    const told = await drive('urql.js', skip)
    if (!told) return
    await expectTheUsual(told, 'said by urql')
    expect(told.queryMethods).toEqual(['GET'])
    expect(told.byPost).toEqual(told.nested)
    expect(told.unknownField).toMatchObject({ name: 'CombinedError' })
    expect(told.withoutKey).toMatchObject({ network: 'Unauthorized' })
  })

  test('graphql-request', { timeout: 60_000 }, async ({ skip }) => {
    const told = await drive('graphql-request.js', skip)
    if (!told) return
    await expectTheUsual(told, 'said by graphql-request')
    expect(told.unknownField).toMatchObject({ name: 'ClientError' })
    expect(told.partial).toEqual({
      data: { artistCollection: { edges: [{ node: { name: 'AC/DC' } }] } },
      errors: ['Unknown field "nonsense" on type Query'],
    })
    expect(told.byGet).toEqual(told.nested)
    expect(told.withoutKey).toMatchObject({ name: 'ClientError', status: 401 })
  })
})

describe('generators of code', () => {
  test('graphql-codegen: types that TypeScript takes, and that know what is asked', { timeout: 60_000 }, async ({ skip }) => {
    const generators = installed.get(GENERATORS)
    if (typeof generators !== 'object') return skip(generators)
    const { text } = (await generators.drive('codegen.js', { ...given(), documents: DOCUMENTS })) as { text: string }
    expect(text).toContain('export type NestedQuery')
    const folder = await mkdtemp(join(tmpdir(), 'codegen-'))
    await writeFile(join(folder, 'types.ts'), text)
    await writeFile(
      join(folder, 'use.ts'),
      `import type { InsertMutationVariables, NestedQuery } from './types.ts'
export const name = (answer: NestedQuery): string | null | undefined => answer.artistCollection?.edges[0]?.node.albumCollection?.edges[0]?.node.title
export const right: InsertMutationVariables = { stars: 5 }
// @ts-expect-error stars must be given
export const wrong: InsertMutationVariables = { body: 'x' }
`,
    )
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          noEmit: true,
          module: 'nodenext',
          allowImportingTsExtensions: true,
          skipLibCheck: true,
          types: [],
        },
        include: ['*.ts'],
      }),
    )
    const tsc = join(import.meta.dirname, '../../../node_modules/.bin/tsc')
    await run(tsc, ['-p', folder]).catch((error: { stdout: string; message: string }) => {
      throw new Error(error.stdout || error.message)
    })
    await rm(folder, { recursive: true })
  })

  test('the Relay compiler: connections, refetching by node, updaters; what it compiled is answered', { timeout: 60_000 }, async ({
    skip,
  }) => {
    const relay = installed.get(RELAY)
    if (typeof relay !== 'object') return skip(relay)
    const folder = await mkdtemp(join(tmpdir(), 'relay-'))
    await mkdir(join(folder, 'src'))
    await writeFile(join(folder, 'schema.graphql'), printSchema(await introspect(service.anonKey)))
    await writeFile(
      join(folder, 'src/app.ts'),
      `const list = graphql\`fragment app_artists on Query @argumentDefinitions(count: { type: "Int", defaultValue: 5 }, cursor: { type: "Cursor" }) @refetchable(queryName: "appListQuery") {
  artistCollection(first: $count, after: $cursor, orderBy: [{ name: AscNullsLast }]) @connection(key: "app_artistCollection") { edges { node { nodeId name } } }
}\`
const one = graphql\`fragment app_artist on Artist @refetchable(queryName: "appOneQuery") { name albumCollection(first: 1) { edges { node { title } } } }\`
const all = graphql\`query appQuery { ...app_artists }\`
const add = graphql\`mutation appAddMutation($connections: [ID!]!, $stars: Int!) {
  insertIntoReviewCollection(objects: [{ stars: $stars }]) { records @prependNode(connections: $connections, edgeTypeName: "ReviewEdge") { nodeId stars } }
}\`
`,
    )
    const config = { src: './src', schema: './schema.graphql', language: 'typescript', schemaConfig: { nodeInterfaceIdField: 'nodeId' } }
    await writeFile(join(folder, 'relay.config.json'), JSON.stringify(config))
    await writeFile(join(folder, 'package.json'), '{}')
    await run(process.execPath, [join(relay.folder, 'node_modules/relay-compiler/cli.js'), 'relay.config.json'], { cwd: folder }).catch(
      (error: { stdout: string; stderr: string }) => {
        throw new Error(`${error.stdout}\n${error.stderr}`)
      },
    )
    const compiled = async (name: string): Promise<string> => {
      const artifact = await readFile(join(folder, `src/__generated__/${name}.graphql.ts`), 'utf8')
      const [, text = '""'] = /"text": (".*")/.exec(artifact) ?? []
      return JSON.parse(text)
    }
    const { json } = await send({ query: await compiled('appQuery'), variables: {} })
    const page = json as { data: { artistCollection: { edges: { node: { nodeId: string; name: string } }[] } } }
    expect(page.data.artistCollection.edges).toHaveLength(5)
    const [first] = page.data.artistCollection.edges
    expect((await send({ query: await compiled('appOneQuery'), variables: { nodeId: first?.node.nodeId } })).json).toMatchObject({
      data: { node: { name: first?.node.name } },
    })
    expect((await send({ query: await compiled('appAddMutation'), variables: { stars: 3 } })).json).toMatchObject({
      data: { insertIntoReviewCollection: { records: [{ stars: 3 }] } },
    })
    await rm(folder, { recursive: true })
  })
})

async function introspect(key: string) {
  const query = getIntrospectionQuery({
    descriptions: true,
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  })
  const { status, json } = await send({ query, operationName: 'IntrospectionQuery' }, { apikey: key })
  expect(status).toBe(200)
  expect(json).not.toHaveProperty('errors')
  return buildClientSchema((json as { data: IntrospectionQuery }).data)
}

describe('the logins of the running service', () => {
  test('keep a function of the caller’s from becoming service_role', async () => {
    const { json } = await send({ query: 'mutation { becomeService }' })
    expect(json).toMatchObject({ data: null, errors: [{ extensions: { code: '42501' } }] })
    expect((await send({ query: '{ roleNow }' })).json).toEqual({ data: { roleNow: 'anon' } })
    expect((await send({ query: '{ roleNow }' }, { apikey: service.serviceKey })).json).toEqual({ data: { roleNow: 'service_role' } })
    expect((await send({ query: '{ roleNow }' })).json).toEqual({ data: { roleNow: 'anon' } })
  })
})

describe('the schema as tools read it', () => {
  test.each(['anonKey', 'serviceKey'] as const)('%s: valid by graphql-js, all options asked', async (key) => {
    const schema = await introspect(service[key])
    expect(validateSchema(schema)).toEqual([])
    expect(schema.getType('Artist')?.toString()).toBe('Artist')
    expect(schema.getMutationType()?.getFields()).toHaveProperty('insertIntoReviewCollection')
  })

  test('is valid where there is nothing to show', async () => {
    await withClient(service.databaseUrl, (client) =>
      client.query(
        'revoke select on all tables in schema public from anon; revoke execute on all functions in schema public from public, anon',
      ),
    )
    const schema = await introspect(service.anonKey)
    expect(validateSchema(schema)).toEqual([])
    expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).not.toEqual([])
    expect(schema.getMutationType() ?? null).toBe(null)
    expect((await send({ query: '{ __typename }' })).json).toEqual({ data: { __typename: 'Query' } })
  })
})
