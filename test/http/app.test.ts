import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApp } from '../../src/http/app.ts'
import { createLog } from '../../src/observe/log.ts'
import { bytes, milliseconds } from '../../src/std/brand.ts'
import { ServiceError } from '../../src/std/service-error.ts'

let app: FastifyInstance
let port: number
let ready = true
const lines: string[] = []
let underWay = 0
let most = 0

beforeAll(async () => {
  const sink = new PassThrough()
  sink.on('data', (chunk: Buffer) => lines.push(...chunk.toString().trim().split('\n')))
  const log = createLog('info', sink)
  app = await createApp({
    corsOrigins: ['https://app.example', 'http://localhost:3000'],
    jsonLimit: bytes(1024),
    headerTimeout: milliseconds(1_000),
    idleTimeout: milliseconds(3_000),
    slowBodyGrace: milliseconds(60_000),
    minBodyRate: bytes(1024),
    maxConnections: 100,
    logger: log.logger,
    observe: log.observe,
    whyNotReady: async () => (ready ? [] : ['database']),
    faces: [
      {
        prefix: '/face',
        register: (scope) => {
          scope.get('/ok', (request, reply) => {
            request.callerRole = 'anon'
            return reply.header('cache-control', 'max-age=60').send({ ok: true })
          })
          scope.get('/slow', async () => {
            await new Promise((resolve) => setTimeout(resolve, 200))
            return 'late'
          })
          scope.get('/bug', () => Promise.reject(new Error('the secret of the database is hunter2')))
          scope.get('/named', () => Promise.reject(new ServiceError('NotHere', 404, 'It is not here')))
          scope.get('/counted', async () => {
            most = Math.max(most, ++underWay)
            await new Promise((resolve) => setTimeout(resolve, 2))
            underWay--
            return 'counted'
          })
          scope.post('/json', (request) => ({ got: request.body }))
        },
      },
    ],
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  port = typeof address === 'object' && address ? address.port : 0
})
afterAll(() => app.close())
beforeEach(() => {
  lines.length = 0
  ready = true
})

/** Sends bytes as they are and answers what comes back until the other side closes, or leaves `ms` after it has said them. */
const raw = (text: string, ms = 10_000): Promise<string> =>
  new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1', () => setTimeout(() => socket.destroy(), ms)))
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(answer))
  })
const statusOf = (answer: string): string => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 'closed'
const get = (path: string, headers: Record<string, string> = {}) => app.inject({ url: path, headers: { host: 'x', ...headers } })

describe('a request that two programs might read differently', () => {
  const end = 'Connection: close\r\n\r\n'
  it.each([
    [
      'a length and chunks',
      `POST /face/json HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n${end}0\r\n\r\n`,
      '400',
    ],
    ['two codings', `POST /face/json HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n${end}0\r\n\r\n`, '501'],
    ['an unknown coding', `POST /face/json HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n${end}0\r\n\r\n`, '400'],
    ['a blank before the colon', `GET /face/ok HTTP/1.1\r\nHost : x\r\n${end}`, '400'],
    ['a folded header', `GET /face/ok HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n${end}`, '400'],
    ['NUL in a header', `GET /face/ok HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n${end}`, '400'],
    ['no host', `GET /face/ok HTTP/1.1\r\n${end}`, '400'],
    ['an empty host', `GET /face/ok HTTP/1.1\r\nHost:\r\n${end}`, '400'],
    ['two hosts', `GET /face/ok HTTP/1.1\r\nHost: x\r\nHost: y\r\n${end}`, '400'],
    ['a fragment', `GET /face/ok#a HTTP/1.1\r\nHost: x\r\n${end}`, '400'],
    ['HTTP/0.9', 'GET /face/ok\r\n\r\n', '400'],
    ['an unknown method', `FOO /face/ok HTTP/1.1\r\nHost: x\r\n${end}`, '400'],
    ['another method', `PROPFIND /face/ok HTTP/1.1\r\nHost: x\r\n${end}`, '404'],
    ['TRACE', `TRACE /face/ok HTTP/1.1\r\nHost: x\r\n${end}`, '404'],
    ['CONNECT', `CONNECT x:80 HTTP/1.1\r\nHost: x\r\n${end}`, 'closed'],
    ['17 KB of headers', `GET /face/ok HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(17_000)}\r\n${end}`, '431'],
    ['a 20 KB address', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n${end}`, '431'],
    ['an expectation', `POST /face/json HTTP/1.1\r\nHost: x\r\nExpect: foo\r\nContent-Length: 0\r\n${end}`, '417'],
    ['an upgrade', `GET /face/ok HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade, close\r\n\r\n`, '200'],
    ['a bad escape', `GET /face/%zz HTTP/1.1\r\nHost: x\r\n${end}`, '400'],
    ['nothing wrong', `GET /face/ok HTTP/1.1\r\nHost: x\r\n${end}`, '200'],
  ])('%s', async (_, text, status) => {
    expect(statusOf(await raw(text))).toBe(status)
  })

  it('reads all of 2,500 headers, or none', async () => {
    const many = Array.from({ length: 2_500 }, () => 'a:b').join('\r\n')
    const answer = await raw(
      `POST /face/json HTTP/1.1\r\nHost: x\r\n${many}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
    )
    expect(answer).toContain('{"got":{}}')
  })

  it('is given up when its headers do not end', async () => {
    expect(statusOf(await raw('GET /face/ok HTTP/1.1\r\nHost: x\r\nA:'))).toBe('408')
  })
})

describe('every answer', () => {
  it('is inert and names its request', async () => {
    const { headers } = await get('/face/ok', { 'x-request-id': 'from-the-proxy.1' })
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-request-id': 'from-the-proxy.1',
      'cache-control': 'max-age=60',
    })
    expect(headers.server).toBeUndefined()
    expect((await get('/face/ok', { 'x-request-id': 'a b\u00e9' })).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('to a token in the query stays out of caches, and the log has neither token nor address', async () => {
    const { headers } = await fetch(`http://127.0.0.1:${port}/face/ok?authorization=canary-token`)
    expect(headers.get('cache-control')).toBe('private, no-store')
    await expect.poll(() => lines.length).toBe(1)
    expect(lines.join()).not.toContain('canary')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      msg: 'request',
      route: '/face/ok',
      method: 'GET',
      status: 200,
      role: 'anon',
      aborted: false,
    })
  })

  it('that nobody waited for says so in the log', async () => {
    await raw('GET /face/slow HTTP/1.1\r\nHost: x\r\n\r\n', 50)
    await expect.poll(() => lines.map((line) => JSON.parse(line))).toMatchObject([{ route: '/face/slow', aborted: true }])
  })

  it('about nothing there is JSON and reflects no markup as such', async () => {
    const answer = await get('/<script>alert(1)</script>?authorization=canary-token')
    expect(answer.statusCode).toBe(404)
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect(lines.join()).not.toContain('canary')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ route: null, status: 404 })
  })

  it('to a fault of ours has its id and nothing else; the log has the rest', async () => {
    const answer = await get('/face/bug', { 'x-request-id': 'r1' })
    expect(answer.json()).toEqual({ statusCode: 500, error: 'Internal', message: 'Internal error (request r1)' })
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['a request failed', 'request'])
  })

  it('to a named error is that error', async () => {
    expect((await get('/face/named')).json()).toEqual({ statusCode: 404, error: 'NotHere', message: 'It is not here' })
  })

  it('to a body over the limit is 413, with and without a length', async () => {
    const body = JSON.stringify('x'.repeat(2_000))
    expect(
      (await app.inject({ method: 'POST', url: '/face/json', headers: { 'content-type': 'application/json' }, payload: body })).statusCode,
    ).toBe(413)
    const chunked = `POST /face/json HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    expect(statusOf(await raw(chunked))).toBe('413')
  })
})

describe('a browser', () => {
  const preflight = (origin: string) =>
    app.inject({
      method: 'OPTIONS',
      url: '/face/json',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'apikey, authorization, content-type, x-client-info, x-upsert',
      },
    })

  it('of a listed origin may send what clients send, without cookies', async () => {
    const { statusCode, headers } = await preflight('https://app.example')
    expect(statusCode).toBe(204)
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      'access-control-allow-headers': 'apikey, authorization, content-type, x-client-info, x-upsert',
      'access-control-max-age': '600',
    })
    expect(headers['access-control-allow-methods']).toContain('DELETE')
    expect(headers['access-control-allow-credentials']).toBeUndefined()
    expect(headers.vary).toContain('Origin')
  })

  it('of another origin may not', async () => {
    expect((await preflight('https://evil.example')).headers['access-control-allow-origin']).not.toBe('https://evil.example')
  })

  it('reads the headers that clients look at', async () => {
    const { headers } = await get('/face/ok', { origin: 'http://localhost:3000' })
    expect(headers['access-control-allow-origin']).toBe('http://localhost:3000')
    expect(headers['access-control-expose-headers']).toContain('Content-Range')
  })
})

describe('requests that are sent ahead', () => {
  const ahead = (path: string, count: number, how = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${how}\r\n`.repeat(count)
  const last = ahead('/face/ok', 1, 'Connection: close\r\n')

  it('are answered in their order, one at a time', async () => {
    const answer = await raw(
      `${ahead('/face/counted', 40)}POST /face/json HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}${ahead('/face/bug', 1)}${ahead('/face/counted', 40)}${last}`,
    )
    const bodies = answer.split(/HTTP\/1\.1 \d+ .*?\r\n\r\n/s).slice(1)
    expect(bodies).toHaveLength(83)
    expect(bodies[40]).toBe('{"got":{"a":1}}')
    expect(bodies[41]).toContain('Internal error')
    expect(bodies[82]).toBe('{"ok":true}')
    expect(most).toBe(1)
  })

  it('may wait for a go-ahead, which is given in its turn', async () => {
    const asked =
      'POST /face/json HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 7\r\nExpect: 100-continue\r\n\r\n'
    const answer = await new Promise<string>((resolve) => {
      let heard = ''
      const socket = connect(port, '127.0.0.1', () => socket.write(`${ahead('/face/counted', 1)}${asked}`))
      socket.on('data', (chunk) => {
        const before = heard
        heard += chunk.toString('latin1')
        if (heard.includes(' 100 ') && !before.includes(' 100 ')) socket.write(`{"a":1}${last}`)
      })
      socket.on('close', () => resolve(heard))
    })
    expect([...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '100', '200', '200'])
    expect(answer).toContain('{"got":{"a":1}}')
  })

  it('end the connection when their headers are too many', async () => {
    const many = Array.from({ length: 2_000 }, (_, i) => `${(i % 36).toString(36)}:\r\n`).join('')
    expect((await raw(`${ahead('/face/slow', 1)}${ahead('/face/ok', 30, many)}`)).length).toBe(0)
    expect(statusOf(await raw(last))).toBe('200')
  })

  it('end the connection when they are too many', async () => {
    expect((await raw(ahead('/face/slow', 2_500))).length).toBe(0)
    expect(statusOf(await raw(last))).toBe('200')
  })
})

describe('health', () => {
  it('is alive always and ready when it is', async () => {
    expect((await get('/health/live')).statusCode).toBe(200)
    expect(await get('/health/ready').then((answer) => [answer.statusCode, answer.json()])).toEqual([200, { ready: true }])
    expect(lines).toEqual([])
    ready = false
    expect(await get('/health/ready').then((answer) => [answer.statusCode, answer.json()])).toEqual([
      503,
      { ready: false, reasons: ['database'] },
    ])
    expect((await get('/health/live')).statusCode).toBe(200)
  })
})
