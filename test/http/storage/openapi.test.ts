import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { faultsOf, type JsonSchema } from '../../support/json-schema.ts'
import { ANON_KEY, SERVICE_KEY, type StorageService, startStorageService } from './storage-service.ts'

type Parameter = { name: string; in: string; required: boolean; schema: JsonSchema }
type Content = Record<string, { schema: JsonSchema }>
type Answer = { description: string; content?: Content; headers?: Record<string, { schema: JsonSchema }> }
type Operation = {
  operationId: string
  summary: string
  security: object[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, Answer>
}
type Document = {
  openapi: string
  info: { title: string; version: string }
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, object> }
}

let service: StorageService
let api: Document
beforeAll(async () => {
  service = await startStorageService('openapi')
  api = (await (await fetch(`${service.url}/openapi.json`)).json()) as Document
})
afterAll(() => service.close())

const resolve = (ref: string): JsonSchema => {
  const schema = api.components.schemas[ref.replace('#/components/schemas/', '')]
  if (!schema) throw new Error(`${ref} leads nowhere`)
  return schema
}
const operations = () =>
  Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
  )

describe('the description', () => {
  it('is there under both mounts, the same but for its address', async () => {
    const answer = await fetch(`${service.url}/storage/v1/openapi.json`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    const mounted = (await answer.json()) as Document
    expect(mounted.servers).toEqual([{ url: '/storage/v1' }])
    expect({ ...mounted, servers: api.servers }).toEqual(api)
    expect(api).toMatchObject({ openapi: '3.1.1', info: { version: '0.1.0' }, servers: [{ url: '/' }] })
  })

  it('names every endpoint that there is', () => {
    expect(
      operations()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(
      [
        'DELETE /bucket/{bucketId}',
        'DELETE /object/{bucketName}',
        'DELETE /object/{bucketName}/{key}',
        ...both('/bucket'),
        ...both('/bucket/{bucketId}'),
        ...both('/health'),
        ...both('/object/authenticated/{bucketName}/{key}'),
        ...both('/object/info/authenticated/{bucketName}/{key}'),
        ...both('/object/info/public/{bucketName}/{key}'),
        ...both('/object/info/{bucketName}/{key}'),
        ...both('/object/public/{bucketName}/{key}'),
        ...both('/object/sign/{bucketName}/{key}'),
        ...both('/object/{bucketName}/{key}'),
        ...both('/openapi.json'),
        ...both('/status'),
        ...both('/version'),
        'POST /bucket',
        'POST /bucket/{bucketId}/empty',
        'POST /object/copy',
        'POST /object/list-v2/{bucketName}',
        'POST /object/list/{bucketName}',
        'POST /object/move',
        'POST /object/sign/{bucketName}',
        'POST /object/sign/{bucketName}/{key}',
        'POST /object/upload/sign/{bucketName}/{key}',
        'POST /object/{bucketName}/{key}',
        'PUT /bucket/{bucketId}',
        'PUT /object/upload/sign/{bucketName}/{key}',
        'PUT /object/{bucketName}/{key}',
      ].sort(),
    )
  })

  it('is sound: every operation has a name of its own, parameters for its path, and answers', () => {
    const names = operations().map(({ operation }) => operation.operationId)
    expect(new Set(names).size).toBe(names.length)
    for (const { name, path, operation } of operations()) {
      expect(path, name).toMatch(/^\//)
      const { parameters = [], responses, security } = operation
      expect(operation.summary.length, name).toBeGreaterThan(0)
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
      expect(
        parameters.filter((each) => each.in === 'path').map((each) => each.name),
        name,
      ).toEqual(inPath)
      expect(new Set(parameters.map((each) => `${each.in} ${each.name}`)).size, name).toBe(parameters.length)
      // OpenAPI passes over these three as parameters
      expect(parameters.map((each) => each.name)).not.toContain('authorization')
      expect(parameters.map((each) => each.name)).not.toContain('content-type')
      for (const status of Object.keys(responses)) expect(status, name).toMatch(/^(?:[2345]\d\d|[45]XX)$/)
      expect(Object.keys(responses), name).toContain('200')
      for (const scheme of security.flatMap((each) => Object.keys(each)))
        expect(api.components.securitySchemes, name).toHaveProperty(scheme)
      if (name.startsWith('HEAD')) for (const [status, { content }] of ok(responses)) expect(content, `${name} ${status}`).toBeUndefined()
      // a schema with a keyword of another dialect, or a reference that leads nowhere, throws
      const schemas = [...parameters.map(({ schema }) => schema), ...schemasOf(operation)]
      for (const schema of schemas) for (const value of [null, {}, [], '', 0]) faultsOf(value, schema, { resolve })
    }
    for (const schema of Object.values(api.components.schemas)) faultsOf(sampleOf(schema), schema, { resolve })
  })
})

const both = (path: string) => [`GET ${path}`, `HEAD ${path}`]
const ok = (responses: Record<string, Answer>) => Object.entries(responses).filter(([status]) => /^[23]/.test(status))
const schemasOf = ({ requestBody, responses }: Operation): JsonSchema[] =>
  [requestBody, ...Object.values(responses)].flatMap((part) => Object.values(part?.content ?? {}).map(({ schema }) => schema))

/** Something for every nested schema to look at. */
function sampleOf(schema: JsonSchema): unknown {
  const types = [schema.type].flat()
  if (types.includes('object'))
    return Object.fromEntries(
      Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).map(([name, each]) => [name, sampleOf(each)]),
    )
  return types.includes('array') ? [sampleOf(schema.items as JsonSchema)] : null
}

describe('what is really answered', () => {
  const asked = new Set<string>()

  /** Asks, and compares parameters, body and answer with the description of `operationId`. */
  async function ask(
    operationId: string,
    values: Record<string, string> = {},
    {
      body,
      key = SERVICE_KEY,
      status = 200,
      headers = {},
    }: { body?: unknown; key?: string | null; status?: number; headers?: Record<string, string> } = {},
  ): Promise<unknown> {
    const found = operations().find(({ operation }) => operation.operationId === operationId)
    if (!found) throw new Error(`nothing is called ${operationId}`)
    const { path, operation, name } = found
    const [method = ''] = name.split(' ')
    asked.add(operationId)

    const parameters = operation.parameters ?? []
    const known = (place: string) => parameters.filter((each) => each.in === place).map((each) => each.name)
    for (const each of Object.keys(values)) expect([...known('path'), ...known('query')], `${name} takes`).toContain(each)
    for (const each of Object.keys(headers)) if (each !== 'content-type') expect(known('header'), `${name} takes`).toContain(each)
    for (const each of parameters) if (each.required) expect(values, name).toHaveProperty(each.name)
    expect(operation.security.some((each) => Object.keys(each).length === 0) || operation.security.length === 0 || key !== null, name).toBe(
      true,
    )
    const json = operation.requestBody?.content['application/json']
    if (json && status < 400) expect(faultsOf(body, json.schema, { resolve, closed: true }), `${name}: its body`).toEqual([])

    const query = new URLSearchParams(Object.entries(values).filter(([each]) => known('query').includes(each)))
    const address = service.url + path.replaceAll(/\{(\w+)\}/g, (_, each) => values[each] ?? '') + (query.size > 0 ? `?${query}` : '')
    const answer = await fetch(address, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(json ? { 'content-type': 'application/json' } : { 'content-type': 'text/plain' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: json ? JSON.stringify(body) : (body as string | FormData) }),
    })
    expect(answer.status, name).toBe(status)
    const described = operation.responses[String(status)] ?? operation.responses[`${String(status)[0]}XX`]
    expect(described, `${name} ${status}`).toBeDefined()
    for (const header of Object.keys(described?.headers ?? {})) {
      if (header !== 'Content-Disposition') expect(answer.headers.get(header), `${name} ${header}`).not.toBeNull()
    }
    const text = await answer.text()
    if (!described?.content) {
      expect(text, name).toBe('')
      return null
    }
    const content = described.content['application/json']
    if (!content) return text
    expect(answer.headers.get('content-type'), name).toMatch(/^application\/json/)
    const value = JSON.parse(text)
    // bytes and the description itself are of any shape
    if (content.schema.$ref || content.schema.items)
      expect(faultsOf(value, content.schema, { resolve, closed: true }), `${name}: ${text}`).toEqual([])
    return value
  }

  it('is what is described', async () => {
    const b = { bucketId: 'tour' }
    const at = (key: string) => ({ bucketName: 'tour', key })
    await ask(
      'createBucket',
      {},
      { body: { name: 'tour', public: true, file_size_limit: '1MB', allowed_mime_types: ['text/*', 'image/png'] } },
    )
    await ask('createBucket', {}, { body: { name: 'tour' }, status: 400 })
    await ask('updateBucket', b, { body: { file_size_limit: null } })
    await ask('getBucket', b)
    await ask('getBucketHead', b)
    await ask('listBuckets', { limit: '10', offset: '0', search: 'tour', sortColumn: 'name', sortOrder: 'asc' })
    await ask('listBucketsHead')
    await ask('listBuckets', {}, { key: 'no token', status: 400 })

    const headers = { 'x-upsert': 'true', 'cache-control': 'max-age=60', 'x-metadata': btoa('{"by":"tour"}'), 'x-robots-tag': 'noindex' }
    await ask('uploadObject', at('a/b.txt'), { body: 'hello', headers })
    await ask('uploadObject', at('a/b.txt'), { body: 'hello', status: 400 })
    await ask('replaceObject', at('a/c.txt'), { body: 'world', headers: { 'if-none-match': '*' } })
    await service.database
      .connect()
      .then((owner) => owner.query(`insert into storage.objects (bucket_id, name) values ('tour', 'a/by hand')`))

    for (const each of ['getObject', 'getAuthenticatedObject', 'getPublicObject']) {
      await ask(each, at('a/b.txt'))
      await ask(each, { ...at('a/b.txt'), download: 'name.txt' })
      await ask(each, at('a/b.txt'), { status: 206, headers: { range: 'bytes=1-2' } })
      await ask(each, at('a/b.txt'), { status: 416, headers: { range: 'bytes=9-' } })
      await ask(each, at('a/b.txt'), { status: 304, headers: { 'if-none-match': '*' } })
      await ask(each, at('a/b.txt'), { status: 412, headers: { 'if-match': '"other"' } })
      await ask(`${each}Head`, at('a/b.txt'))
      await ask(each, at('none'), { status: 400 })
    }
    for (const each of ['getObject', 'getPublicObject', 'getObjectInfo', 'getPublicObjectInfo'])
      await ask(each, at('a/b.txt'), { key: null })
    for (const each of ['getObjectInfo', 'getAuthenticatedObjectInfo', 'getPublicObjectInfo']) {
      await ask(each, at('a/b.txt'))
      await ask(each, at('a/by hand'))
      await ask(`${each}Head`, at('a/b.txt'))
    }

    const { signedURL } = (await ask('signObject', at('a/b.txt'), { body: { expiresIn: 60 } })) as { signedURL: string }
    const token = new URL(signedURL, service.url).searchParams.get('token') ?? ''
    await ask('getSignedObject', { ...at('a/b.txt'), token }, { key: null })
    await ask('getSignedObjectHead', { ...at('a/b.txt'), token }, { key: null })
    await ask('getSignedObject', { ...at('a/c.txt'), token }, { key: null, status: 400 })
    await ask('signObjects', { bucketName: 'tour' }, { body: { expiresIn: 60, paths: ['a/b.txt', 'none'] } })
    const upload = (await ask('signUpload', at('a/d.txt'), { headers: { 'x-upsert': 'true' } })) as { token: string }
    await ask('uploadToAddress', { ...at('a/d.txt'), token: upload.token }, { key: null, body: 'signed' })

    const names = { bucketId: 'tour', sourceKey: 'a/b.txt', destinationBucket: 'tour' }
    await ask('copyObject', {}, { body: { ...names, destinationKey: 'e.txt', copyMetadata: true } })
    await ask(
      'copyObject',
      {},
      { body: { ...names, destinationKey: 'f.txt', copyMetadata: false, metadata: { mimetype: 'text/x-a', cacheControl: 'no-store' } } },
    )
    await ask('moveObject', {}, { body: { ...names, destinationKey: 'g.txt' } })

    const sortBy = { column: 'name', order: 'asc' }
    await ask('listObjects', { bucketName: 'tour' }, { body: { prefix: '', limit: 100, offset: 0, search: '', sortBy } })
    await ask('listObjects', { bucketName: 'tour' }, { body: { prefix: 'a' } })
    const first = (await ask(
      'listObjectsV2',
      { bucketName: 'tour' },
      { body: { prefix: '', limit: 1, with_delimiter: true, sortBy } },
    )) as { nextCursor: string }
    await ask('listObjectsV2', { bucketName: 'tour' }, { body: { cursor: first.nextCursor } })

    await ask('deleteObject', at('e.txt'))
    await ask('deleteObjects', { bucketName: 'tour' }, { body: { prefixes: ['f.txt', 'a/by hand', 'none'] } })
    await ask('emptyBucket', b, { key: ANON_KEY, status: 403 })
    await ask('emptyBucket', b)
    await ask('deleteBucket', b)
    await ask('deleteBucket', b, { status: 400 })
    for (const each of ['getStatus', 'getVersion', 'getHealth', 'getDescription']) {
      await ask(each)
      await ask(`${each}Head`)
    }
    expect([...asked].sort()).toEqual(
      operations()
        .map(({ operation }) => operation.operationId)
        .sort(),
    )
  })

  it('as a form, too', async () => {
    await ask('createBucket', {}, { body: { name: 'forms', id: 'forms', type: 'STANDARD' } })
    const form = new FormData()
    form.set('cacheControl', '60')
    form.set('metadata', '{"a":1}')
    form.set('file', new Blob(['in a form'], { type: 'text/plain' }), 'file.txt')
    const answer = await fetch(`${service.url}/object/forms/k`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SERVICE_KEY}` },
      body: form,
    })
    expect(faultsOf(await answer.json(), resolve('#/components/schemas/Upload'), { resolve, closed: true })).toEqual([])
  })
})
