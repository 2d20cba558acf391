import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { invalidToken } from '../../../src/auth/auth-error.ts'
import { ANONYMOUS, type Authenticate } from '../../../src/auth/authenticate.ts'
import type { GraphqlRequest } from '../../../src/graphql/operation/operation.ts'
import { type App, createApp } from '../../../src/http/app.ts'
import { graphqlShortcut } from '../../../src/http/graphql/graphql-shortcut.ts'
import { type GraphqlRouteDeps, registerGraphqlRoute } from '../../../src/http/graphql/route.ts'
import { createLog } from '../../../src/observe/log.ts'
import { PgCancelled, PgUnavailable } from '../../../src/pg/pg-error.ts'
import { answerMemory } from '../../../src/std/answer-memory.ts'
import { bytes, milliseconds, roleName } from '../../../src/std/brand.ts'
import { InvariantError } from '../../../src/std/invariant.ts'

/** The same address to the shortcut, another to the framework: the router takes no notice of an empty query. */
const SHORT = '/graphql/v1'
const LONG = '/graphql/v1?'

let app: App
let port: number
const lines: string[] = []
let resolve: GraphqlRouteDeps['resolve']
const asked: GraphqlRequest[] = []

const contextOf = (token: string) => ({ ...ANONYMOUS, role: roleName(token), token })
const authenticate: Authenticate = Object.assign(
  async (token: string) => {
    if (token === 'bad') throw invalidToken('signature verification failed')
    return contextOf(token)
  },
  { remembered: (token: string) => (token === 'bad' || token === 'new' ? null : contextOf(token)) },
)

const ORIGIN = 'https://app.example'
let strictApp: App
const ports = { open: 0, listed: 0 }

beforeAll(async () => {
  const sink = new PassThrough()
  sink.on('data', (chunk: Buffer) => lines.push(...chunk.toString().trim().split('\n')))
  const log = createLog('info', sink)
  const deps: GraphqlRouteDeps = {
    authenticate,
    resolve: (as, request, signal) => {
      asked.push(request)
      return resolve(as, request, signal)
    },
    operationKind: () => 'query',
    maxBodyBytes: bytes(10_000),
  }
  const appFor = async (corsOrigins: readonly string[]) => {
    const made = await createApp({
      corsOrigins,
      jsonLimit: bytes(10_000),
      headerTimeout: milliseconds(1_000),
      idleTimeout: milliseconds(3_000),
      slowBodyGrace: milliseconds(60_000),
      minBodyRate: bytes(1024),
      maxConnections: 100,
      logger: log.logger,
      observe: log.observe,
      whyNotReady: async () => [],
      faces: [{ prefix: '', register: (scope) => registerGraphqlRoute(scope, deps) }],
      shortcut: graphqlShortcut({ ...deps, remembered: authenticate.remembered, observe: log.observe }),
    })
    await made.listen({ host: '127.0.0.1', port: 0 })
    const address = made.server.address()
    return { made, at: typeof address === 'object' && address ? address.port : 0 }
  }
  const open = await appFor(['*'])
  const listed = await appFor([ORIGIN])
  app = open.made
  strictApp = listed.made
  ports.open = open.at
  ports.listed = listed.at
})
afterAll(async () => {
  await app.close()
  await strictApp.close()
})
beforeEach(() => {
  port = ports.open
  lines.length = 0
  asked.length = 0
  resolve = async () => ({ text: '{"data":{"a":"ü"}}', requestError: false })
})

type Sent = { readonly headers?: Record<string, string>; readonly body?: string | Uint8Array<ArrayBuffer> }
const HEADERS = { apikey: 'anon', 'content-type': 'application/json', 'x-request-id': 'r1' }

async function answerOf(url: string, { headers = {}, body = '{"query":"{a}"}' }: Sent) {
  lines.length = 0
  const response = await fetch(`http://127.0.0.1:${port}${url}`, { method: 'POST', headers: { ...HEADERS, ...headers }, body })
  const text = await response.text()
  await expect.poll(() => lines.filter((line) => line.includes('"msg":"request"')).length).toBe(1)
  const line = JSON.parse(lines.find((one) => one.includes('"msg":"request"')) ?? '{}')
  const { date: _, ...rest } = Object.fromEntries(response.headers)
  return { status: response.status, headers: rest, text, line: { ...line, time: null, ms: null } }
}

describe('past the framework and through it the answer, its headers and the line in the log are the same', () => {
  type Case = { readonly what: string; readonly sent: Sent; readonly how?: GraphqlRouteDeps['resolve'] }
  const one = (what: string, sent: Sent, how?: GraphqlRouteDeps['resolve']): Case => ({ what, sent, ...(how ? { how } : {}) })
  const cases: readonly Case[] = [
    one('a query', {}),
    one('a bearer token', { headers: { authorization: 'Bearer authenticated' } }),
    one('a token not seen before', { headers: { authorization: 'Bearer new' } }),
    one('a bad token', { headers: { authorization: 'Bearer bad' } }),
    one('no key', { headers: { apikey: '' } }),
    one('a page of another origin', { headers: { origin: ORIGIN } }),
    one('another type wanted', { headers: { accept: 'application/graphql-response+json' } }),
    one('another type of body', { headers: { 'content-type': 'text/plain' } }),
    one('a charset', { headers: { 'content-type': 'application/json; charset=latin1' } }),
    one('an encoded body', { headers: { 'content-encoding': 'gzip' } }),
    one('no JSON', { body: 'hello' }),
    one('no body', { body: '' }),
    one('no UTF-8', { body: new Uint8Array([0x7b, 0xff, 0x7d]) }),
    one('a body too long', { body: JSON.stringify({ query: 'a'.repeat(20_000) }) }),
    one('a body of many pieces', { body: JSON.stringify({ query: 'ä'.repeat(4_000) }) }),
    one('a request at fault', {}, async () => ({ text: '{"data":null,"errors":[{"message":"m"}]}', requestError: true })),
    one('a request at fault, in the other type', { headers: { accept: 'application/graphql-response+json' } }, async () => ({
      text: '{"data":null,"errors":[{"message":"m"}]}',
      requestError: true,
    })),
    one('a long answer in bytes', {}, async () => ({
      text: ['{"data":', new TextEncoder().encode(`"${'ü'.repeat(9_000)}"`), '}'],
      requestError: false,
    })),
    one('the database away', {}, () => Promise.reject(new PgUnavailable('connection lost'))),
    one('a bug', {}, () => Promise.reject(new InvariantError('a secret'))),
  ]
  const everywhere = cases.flatMap((one) => (['open', 'listed'] as const).map((origins) => ({ ...one, origins })))
  test.each(everywhere)('$what, origins $origins', async ({ sent, how, origins }) => {
    port = ports[origins]
    if (how) resolve = how
    const short = await answerOf(SHORT, sent)
    const long = await answerOf(LONG, sent)
    expect(short).toEqual(long)
    expect(asked.length === 0 || asked.length === 2).toBe(true)
    expect(asked[0]).toEqual(asked[1])
  })
})

/** What comes back until it is enough, or until `ms` after everything was said. */
const raw = (text: string, isEnough: (answer: string) => boolean, ms = 10_000): Promise<string> =>
  new Promise((done) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1', () => setTimeout(() => socket.destroy(), ms)))
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
      if (isEnough(answer)) socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => done(answer))
  })
const isRefusal = (answer: string) => answer.includes('\r\n\r\n')
const nothingIs = () => false
const BODY = '{"query":"{a}"}'
const request = (more = '', body = BODY) =>
  `POST ${SHORT} HTTP/1.1\r\nHost: x\r\napikey: anon\r\nContent-Type: application/json\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`

describe('on the wire', () => {
  test('two requests one behind the other are answered in their order', async () => {
    let turn = 0
    resolve = async () => {
      const mine = ++turn
      await new Promise((done) => setTimeout(done, mine === 1 ? 50 : 0))
      return { text: `{"data":${mine}}`, requestError: false }
    }
    const answer = await raw(request() + request(), (sofar) => sofar.includes('{"data":2}'))
    expect(answer.match(/\{"data":\d\}/g)).toEqual(['{"data":1}', '{"data":2}'])
  })

  test('memory of an answer is given back when it has gone out, and left alone when its client has gone', async () => {
    const before = answerMemory.lent()
    const text = `"${'z'.repeat(50_000)}"`
    resolve = async () => {
      const bytes = answerMemory.lend()
      return { text: ['{"data":', bytes.subarray(0, bytes.write(text)), '}'], requestError: false }
    }
    const answers = await Promise.all(
      Array.from({ length: 40 }, () =>
        fetch(`http://127.0.0.1:${port}${SHORT}`, { method: 'POST', headers: HEADERS, body: '{"query":"{a}"}' }).then((response) =>
          response.text(),
        ),
      ),
    )
    expect(new Set(answers)).toEqual(new Set([`{"data":${text}}`]))
    await expect.poll(() => answerMemory.lent()).toBe(before)
    await raw(request(), nothingIs, 0)
    expect(await raw(request(), (sofar) => sofar.includes('}'))).toContain(text)
  })

  test('two hosts, no host and two lengths are refused', async () => {
    expect(await raw(request('Host: y\r\n'), isRefusal)).toMatch(/^HTTP\/1.1 400/)
    expect(await raw(request().replace('Host: x\r\n', ''), isRefusal)).toMatch(/^HTTP\/1.1 400/)
    expect(await raw(request('Content-Length: 3\r\n'), isRefusal)).toMatch(/^HTTP\/1.1 400/)
    expect(asked).toEqual([])
  })

  test('a client that leaves has its work stopped, and the log says so', async () => {
    const stopped = new Promise<void>((done) => {
      resolve = (_as, _request, signal) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => {
            done()
            reject(new PgCancelled())
          }),
        )
    })
    await raw(request(), nothingIs, 30)
    await stopped
    await expect.poll(() => lines.map((line) => JSON.parse(line))).toMatchObject([{ route: SHORT, aborted: true, role: 'anon' }])
  })

  test('a client that leaves in the middle of its body asks nothing', async () => {
    await raw(request().slice(0, -5), nothingIs, 30)
    await expect.poll(() => lines.length).toBe(1)
    expect(asked).toEqual([])
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ aborted: true })
  })
})
