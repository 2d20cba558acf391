import { once } from 'node:events'
import { connect } from 'node:net'
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { invalidToken, unknownRole } from '../../../src/auth/auth-error.ts'
import { ANONYMOUS } from '../../../src/auth/authenticate.ts'
import type { RoleContext } from '../../../src/auth/role-context.ts'
import { DEFAULT_GRAPHQL_LIMITS } from '../../../src/graphql/operation/limits.ts'
import type { GraphqlRequest } from '../../../src/graphql/operation/operation.ts'
import { operationKind } from '../../../src/graphql/operation/operation-kind.ts'
import { parseDocument } from '../../../src/graphql/operation/parse-document.ts'
import { type GraphqlRouteDeps, registerGraphqlRoute } from '../../../src/http/graphql/route.ts'
import { PgCancelled, PgUnavailable } from '../../../src/pg/pg-error.ts'
import { bytes, roleName } from '../../../src/std/brand.ts'
import { InvariantError } from '../../../src/std/invariant.ts'

type Resolve = GraphqlRouteDeps['resolve']

const answered = { text: '{"data":{"a":1}}', requestError: false }
let loggedRole: string | null = null
let seen: { as: RoleContext; request: GraphqlRequest }[] = []
let resolve: Resolve

const deps: GraphqlRouteDeps = {
  authenticate: async (token) => {
    if (token === 'bad') throw invalidToken('signature verification failed')
    if (token === 'odd') throw unknownRole()
    return { ...ANONYMOUS, role: roleName(token), token }
  },
  resolve: (as, request, signal) => {
    seen.push({ as, request })
    return resolve(as, request, signal)
  },
  operationKind: (request) => operationKind(request, (text) => parseDocument(text, DEFAULT_GRAPHQL_LIMITS)),
  maxBodyBytes: bytes(100_000),
}

let app: FastifyInstance
beforeAll(async () => {
  app = Fastify()
  app.addHook('onResponse', async (request) => {
    loggedRole = request.callerRole
  })
  await app.register(async (scope) => registerGraphqlRoute(scope, deps))
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => app.close())
beforeEach(() => {
  seen = []
  resolve = async () => answered
})

const post = (payload: unknown, headers: Record<string, string> = {}, options: InjectOptions = {}) =>
  app.inject({
    method: 'POST',
    url: '/graphql/v1',
    headers: { apikey: 'anon', 'content-type': 'application/json', ...headers },
    payload: typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload),
    ...options,
  })
const get = (parameters: Record<string, string>, headers: Record<string, string> = {}) =>
  app.inject({ method: 'GET', url: `/graphql/v1?${new URLSearchParams(parameters)}`, headers: { apikey: 'anon', ...headers } })

describe('well-formed requests', () => {
  test('the members a client may send', async () => {
    const response = await post({ query: '{a}', variables: { n: 1 }, operationName: 'X', extensions: { clientLibrary: {} }, other: [1] })
    expect(response.statusCode).toBe(200)
    expect(response.body).toBe(answered.text)
    expect(seen[0]?.request).toMatchObject({ query: '{a}', operationName: 'X', variables: { n: { text: '1' } } })
  })

  test('null stands for none', async () => {
    expect((await post({ query: '{a}', variables: null, operationName: null, extensions: null })).statusCode).toBe(200)
    expect(seen[0]?.request).toMatchObject({ variables: {}, operationName: null })
  })

  test('64-bit integers keep their digits', async () => {
    await post('{"query":"{a}","variables":{"n":9007199254740993}}')
    expect(seen[0]?.request.variables).toMatchObject({ n: { text: '9007199254740993' } })
  })

  test('queries by GET, with parameters as JSON text', async () => {
    const response = await get(
      { query: 'query A{a}', variables: '{"n":1}', operationName: 'A', extensions: '{}' },
      { 'content-type': 'application/json' },
    )
    expect(response.statusCode).toBe(200)
    expect(seen[0]?.request).toMatchObject({ query: 'query A{a}', operationName: 'A', variables: { n: { text: '1' } } })
  })

  test('no mutation by GET, and nothing is run', async () => {
    for (const query of ['mutation{a}', 'query A{a} mutation B{b}']) {
      const response = await get({ query, ...(query.startsWith('query') ? { operationName: 'B' } : {}) })
      expect([response.statusCode, response.headers.allow]).toEqual([405, 'POST'])
    }
    expect(seen).toEqual([])
  })

  test('a query that does not parse is answered by GET too', async () => {
    expect((await get({ query: '{' })).statusCode).toBe(200)
  })

  test.each(['PUT', 'DELETE', 'PATCH', 'HEAD'] as const)('%s is no way to ask', async (method) => {
    const response = await app.inject({ method, url: '/graphql/v1', headers: { apikey: 'anon' } })
    expect([response.statusCode, response.headers.allow]).toEqual([405, 'GET, POST'])
  })
})

describe('media types and statuses', () => {
  const GRAPHQL = 'application/graphql-response+json; charset=utf-8'
  const JSON_TYPE = 'application/json; charset=utf-8'
  test.each([
    [undefined, JSON_TYPE],
    ['*/*', JSON_TYPE],
    ['text/html', JSON_TYPE],
    ['application/json', JSON_TYPE],
    ['application/json, multipart/mixed', JSON_TYPE],
    ['application/graphql-response+json,application/json;q=0.9', GRAPHQL],
    ['application/graphql-response+json, application/json', GRAPHQL],
    ['application/json, application/graphql-response+json', JSON_TYPE],
    ['application/json;q=0.5, application/graphql-response+json', GRAPHQL],
    ['application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed', GRAPHQL],
    ['application/graphql-response+json;q=0, */*', JSON_TYPE],
    ['Application/GraphQL-Response+JSON', GRAPHQL],
    [';;,,q=', JSON_TYPE],
  ])('Accept: %s', async (accept, type) => {
    const response = await post({ query: '{a}' }, accept === undefined ? {} : { accept })
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, type])
  })

  test('a request at fault', async () => {
    resolve = async () => ({ text: '{"data":null,"errors":[{"message":"m"}]}', requestError: true })
    const asJson = await post({ query: '{a}' })
    expect([asJson.statusCode, asJson.json()]).toEqual([200, { data: null, errors: [{ message: 'm' }] }])
    const asGraphql = await post({ query: '{a}' }, { accept: 'application/graphql-response+json' })
    expect([asGraphql.statusCode, asGraphql.json()]).toEqual([400, { errors: [{ message: 'm' }] }])
  })

  test('a request that failed while it ran', async () => {
    resolve = async () => ({ text: '{"data":null,"errors":[{"message":"m"}]}', requestError: false })
    const response = await post({ query: '{a}' }, { accept: 'application/graphql-response+json' })
    expect([response.statusCode, response.json()]).toEqual([200, { data: null, errors: [{ message: 'm' }] }])
  })
})

describe('malformed requests', () => {
  test.each([
    ['nothing', '', 400, 'The body is empty: send {"query": "…"}'],
    ['no JSON', 'hello', 400, 'The body is not valid JSON: unexpected "h" at position 0 of the JSON'],
    ['half of it', '{"query":"{a}"', 400, 'The body is not valid JSON: unexpected end of JSON'],
    ['a byte order mark', '\ufeff{"query":"{a}"}', 400, /^The body is not valid JSON: unexpected/],
    ['UTF-16', Buffer.from('{"query":"{a}"}', 'utf16le'), 400, /^The body is not valid JSON/],
    ['broken UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 400, 'The body is not UTF-8'],
    ['100,000 levels', '['.repeat(99_000), 400, 'The body is not valid JSON: JSON nests deeper than 200 levels'],
    ['a batch', '[{"query":"{a}"}]', 400, 'Batches are not supported: send one request at a time'],
    ['a string', '"{a}"', 400, 'The body must be a JSON object'],
    ['null', 'null', 400, 'The body must be a JSON object'],
    ['no query', '{}', 400, 'query is missing'],
    ['a hash for a query', '{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}', 400, 'PersistedQueryNotSupported'],
    ['a null query', '{"query":null}', 400, 'query is missing'],
    ['a numeric query', '{"query":1}', 400, 'query must be a string'],
    ['a list of queries', '{"query":["{a}"]}', 400, 'query must be a string'],
    ['variables in a list', '{"query":"{a}","variables":[]}', 400, 'variables must be an object'],
    ['variables in a string', '{"query":"{a}","variables":"{}"}', 400, 'variables must be an object'],
    ['a number for variables', '{"query":"{a}","variables":1}', 400, 'variables must be an object'],
    ['a numeric operationName', '{"query":"{a}","operationName":1}', 400, 'operationName must be a string'],
    ['extensions in a string', '{"query":"{a}","extensions":"x"}', 400, 'extensions must be an object'],
    ['too much', `{"query":"${'a'.repeat(100_000)}"}`, 413, 'The body is longer than the limit (STOWAGE_JSON_LIMIT)'],
  ])('%s', async (_, body, status, message) => {
    const response = await post(body)
    expect(response.statusCode).toBe(status)
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
    const { errors } = response.json() as { errors: { message: string }[] }
    expect(errors).toHaveLength(1)
    expect(errors[0]?.message).toEqual(message instanceof RegExp ? expect.stringMatching(message) : message)
    expect(response.json()).not.toHaveProperty('data')
    expect(seen).toEqual([])
  })

  test.each([
    ['text/plain', 415],
    ['application/graphql', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['application/json; charset=utf-16', 415],
    ['application/json; charset=latin1', 415],
    ['application/json; charset=UTF-8', 200],
    ['application/json;charset="utf-8"', 200],
    ['APPLICATION/JSON', 200],
    ['nonsense', 415],
    [';', 415],
  ])('Content-Type: %s', async (type, status) => {
    expect((await post({ query: '{a}' }, { 'content-type': type })).statusCode).toBe(status)
  })

  test('no Content-Type, or an encoded body', async () => {
    const untyped = await app.inject({
      method: 'POST',
      url: '/graphql/v1',
      headers: { apikey: 'anon' },
      payload: Buffer.from('{"query":"{a}"}'),
    })
    expect(untyped.statusCode).toBe(415)
    expect((await post({ query: '{a}' }, { 'content-encoding': 'gzip' })).statusCode).toBe(415)
  })

  test.each([
    ['query=%7Ba%7D&query=%7Bb%7D', 'query is given more than once'],
    ['variables=%7B%7D', 'query is missing'],
    ['query=%7Ba%7D&variables=%7B', 'variables is not valid JSON: unexpected end of JSON'],
    ['query=%7Ba%7D&variables=', 'variables is not valid JSON: unexpected end of JSON'],
    ['query=%7Ba%7D&variables=%5B%5D', 'variables must be an object'],
    ['query=%7Ba%7D&extensions=1', 'extensions must be an object'],
  ])('GET ?%s', async (parameters, message) => {
    const response = await app.inject({ method: 'GET', url: `/graphql/v1?${parameters}`, headers: { apikey: 'anon' } })
    expect([response.statusCode, response.json()]).toEqual([400, { errors: [{ message, extensions: { code: 'MalformedRequest' } }] }])
  })

  test('a body without end is cut off at the limit', async () => {
    const { port } = app.server.address() as { port: number }
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(
      'POST /graphql/v1 HTTP/1.1\r\nhost: x\r\napikey: anon\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
    )
    const piece = `4000\r\n${'a'.repeat(0x4000)}\r\n`
    const timer = setInterval(() => socket.write(piece), 1)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    clearInterval(timer)
    socket.destroy()
    expect(answer.toString()).toMatch(/^HTTP\/1.1 413/)
  })
})

describe('who asks', () => {
  const roleOf = async (headers: Record<string, string>, url = '/graphql/v1') => {
    seen = []
    const response = await app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', ...headers },
      payload: '{"query":"{a}"}',
    })
    return response.statusCode === 200 ? seen[0]?.as.role : [response.statusCode, response.json()]
  }

  test('the key alone, in any case of the header', async () => {
    expect(await roleOf({ apikey: 'anon' })).toBe('anon')
    expect(await roleOf({ apiKey: 'service_role' })).toBe('service_role')
    expect(await roleOf({ APIKEY: ' anon ' })).toBe('anon')
  })

  test('the bearer token decides, be it weaker or stronger', async () => {
    expect(await roleOf({ apikey: 'service_role', authorization: 'Bearer anon' })).toBe('anon')
    expect(await roleOf({ apikey: 'anon', authorization: 'bearer   authenticated' })).toBe('authenticated')
    expect(await roleOf({ apikey: 'anon' }, '/graphql/v1?authorization=Bearer%20authenticated')).toBe('authenticated')
    expect(loggedRole).toBe('authenticated')
  })

  test('refusals', async () => {
    const missing = [401, { message: 'No API key found in request: send the header apiKey' }]
    expect(await roleOf({})).toEqual(missing)
    expect(await roleOf({ apikey: '' })).toEqual(missing)
    expect(await roleOf({ authorization: 'Bearer service_role' })).toEqual(missing)
    expect(await roleOf({ apikey: 'bad' })).toEqual([401, { message: 'The header apiKey is not valid: signature verification failed' }])
    expect(await roleOf({ apikey: 'bad', authorization: 'Bearer authenticated' })).toEqual([
      401,
      { message: 'The header apiKey is not valid: signature verification failed' },
    ])
    expect(await roleOf({ apikey: 'service_role', authorization: 'Bearer bad' })).toEqual([
      401,
      { message: 'signature verification failed' },
    ])
    expect(await roleOf({ apikey: 'odd' })).toEqual([403, { message: 'The role of the token is not allowed' }])
  })

  test('is asked before the body is read', async () => {
    const response = await app.inject({
      method: 'POST',
      url: '/graphql/v1',
      headers: { 'content-type': 'application/json' },
      payload: 'x'.repeat(200_000),
    })
    expect(response.statusCode).toBe(401)
  })
})

describe('failures', () => {
  test('the database is away', async () => {
    resolve = () => Promise.reject(new PgUnavailable('unreachable'))
    const response = await post({ query: '{a}' })
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '1'])
    expect(response.json()).toEqual({ errors: [{ message: 'The database does not answer', extensions: { code: 'DatabaseUnavailable' } }] })
    resolve = () => Promise.reject(new PgUnavailable('connection lost'))
    expect((await post({ query: 'mutation{a}' })).json().errors[0].message).toBe(
      'The database does not answer; whether anything was changed is not known',
    )
  })

  test('our own bugs are told of by a number only', async () => {
    resolve = () => Promise.reject(new InvariantError('a secret of ours'))
    const response = await post({ query: '{a}' })
    expect(response.statusCode).toBe(500)
    expect(response.body).not.toContain('secret')
    expect(response.json().errors[0].message).toMatch(/^Internal error \(request .+\)$/)
  })

  test('a client that leaves has its work stopped', async () => {
    const aborted = new Promise<void>((done) => {
      resolve = (_as, _request, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            done()
            reject(new PgCancelled('gone'))
          })
          socket.destroy()
        })
    })
    const { port } = app.server.address() as { port: number }
    const socket = connect(port, '127.0.0.1')
    const body = '{"query":"{a}"}'
    socket.write(
      `POST /graphql/v1 HTTP/1.1\r\nhost: x\r\napikey: anon\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    await aborted
    resolve = async () => answered
    expect((await post({ query: '{a}' })).statusCode).toBe(200)
  })
})
