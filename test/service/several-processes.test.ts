import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeApiKeys } from '../../src/auth/api-keys.ts'
import { askOnce, freePort, type OwnServer, ownServer } from '../support/own-server.ts'
import { endAll, type ServiceProcess, serviceProcess } from '../support/processes.ts'

const SECRET = 'a secret that several processes share'
let server: OwnServer
let folder: string
let key: string
let anonKey: string
const running: ServiceProcess[] = []

beforeAll(async () => {
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../bin/prepare.js')])
  server = await ownServer('several')
  await server.start()
  folder = await mkdtemp(join(tmpdir(), 'several-'))
  const keys = await makeApiKeys(SECRET, new Date())
  key = keys.serviceKey
  anonKey = keys.anonKey
}, 120_000)
afterAll(async () => {
  await endAll(running)
  await server?.remove()
  await rm(folder, { recursive: true, force: true })
})

/** On the same database and the same folder as all others. */
async function another(settings: Record<string, string> = {}): Promise<ServiceProcess> {
  const started = await serviceProcess({
    ...{ PORT: String(await freePort()), DATABASE_URL: server.url(), STOWAGE_DATA: folder, JWT_SECRET: SECRET },
    ...{ STOWAGE_SWEEP_INTERVAL: '200ms', STOWAGE_SWEEP_GRACE: '2s', STOWAGE_LINGER: '2s', ...settings },
  })
  running.push(started)
  return started
}

type Asked = {
  readonly method?: string
  readonly body?: unknown
  readonly token?: string | null
  readonly headers?: Record<string, string>
}
async function ask(at: ServiceProcess, path: string, { method = 'GET', body, token = key, headers = {} }: Asked = {}) {
  const isText = typeof body === 'string'
  const answer = await fetch(`${at.baseUrl}${path}`, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}`, apikey: token }),
      ...(body === undefined ? {} : { 'content-type': isText ? 'text/plain' : 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
  })
  return { status: answer.status, text: await answer.text() }
}

const graphql = async (at: ServiceProcess, query: string) =>
  JSON.parse((await ask(at, '/graphql/v1', { method: 'POST', body: { query }, token: anonKey })).text)

const filesIn = (path: string): readonly string[] =>
  readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => /[0-9a-f-]{36}$/.test(name))

describe('independent processes on one database and one folder', { timeout: 120_000 }, () => {
  let a: ServiceProcess
  let b: ServiceProcess
  beforeAll(async () => {
    // at once, on an empty database and an empty folder
    ;[a, b] = await Promise.all([another(), another()])
  }, 120_000)

  test('a bucket changed in one is changed in the other with the next request', async () => {
    expect((await ask(a, '/bucket', { method: 'POST', body: { name: 'shared', public: false } })).status).toBe(200)
    expect((await ask(b, '/object/shared/one.txt', { method: 'POST', body: 'one' })).status).toBe(200)
    for (let round = 0; round < 15; round += 1) {
      const [here, there] = round % 2 === 0 ? [a, b] : [b, a]
      const put = (body: unknown) => ask(here, '/bucket/shared', { method: 'PUT', body })
      expect((await put({ public: true, file_size_limit: 10 })).status).toBe(200)
      expect(await ask(there, '/object/public/shared/one.txt', { token: null })).toEqual({ status: 200, text: 'one' })
      expect((await ask(there, '/object/shared/long.txt', { method: 'POST', body: 'eleven byte' })).text).toContain('413')
      expect((await put({ public: false, file_size_limit: 1000, allowed_mime_types: ['image/png'] })).status).toBe(200)
      expect((await ask(there, '/object/public/shared/one.txt', { token: null })).status).toBe(400)
      expect((await ask(there, '/object/shared/long.txt', { method: 'POST', body: 'text' })).text).toContain('415')
      expect((await put({ public: false, allowed_mime_types: null })).status).toBe(200)
    }
  })

  test('what one has written the other reads, and nothing older', async () => {
    for (let round = 0; round < 30; round += 1) {
      const [here, there] = round % 2 === 0 ? [a, b] : [b, a]
      const put = await ask(here, '/object/shared/again.txt', { method: 'POST', body: `round ${round}`, headers: { 'x-upsert': 'true' } })
      expect(put.status).toBe(200)
      expect((await ask(there, '/object/shared/again.txt')).text).toBe(`round ${round}`)
    }
    expect((await ask(a, '/object/shared/again.txt', { method: 'DELETE' })).status).toBe(200)
    expect((await ask(b, '/object/shared/again.txt')).status).toBe(400)
  })

  test('schemas that change while both are asked: no stale answer, no failed one', async () => {
    await askOnce(
      server.url(),
      'create table storm (id int primary key, c0 text); grant select on storm to anon; insert into storm values (1, 0)',
    )
    let storming = true
    const wrong: unknown[] = []
    const readers = [a, b, a, b].map(async (at) => {
      while (storming) {
        const answer = await graphql(at, '{ stormCollection { edges { node { id } } } }')
        if (answer.data?.stormCollection?.edges?.[0]?.node?.id !== 1) wrong.push(answer)
      }
    })
    for (let round = 1; round <= 25; round += 1) {
      await askOnce(server.url(), `alter table storm rename column c${round - 1} to c${round}; update storm set c${round} = '${round}'`)
      for (const at of [a, b]) {
        expect(await graphql(at, `{ stormCollection { edges { node { c${round} } } } }`)).toEqual({
          data: { stormCollection: { edges: [{ node: { [`c${round}`]: String(round) } }] } },
        })
      }
    }
    storming = false
    await Promise.all(readers)
    expect(wrong).toEqual([])
  })

  test('one that was frozen in the middle of an upload until it was given up does not publish what the other has swept', async () => {
    const waiting = () => askOnce(server.url(), 'select count(*)::int from stowage.outbox')
    await expect.poll(waiting, { timeout: 20_000 }).toBe(0)
    const before = filesIn(join(folder, 'bytes')).length
    expect((await ask(a, '/bucket/shared', { method: 'PUT', body: { public: false, file_size_limit: null } })).status).toBe(200)
    const sending = request(`${a.baseUrl}/object/shared/frozen.txt`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'text/plain', 'content-length': '100010' },
    })
    const answered = new Promise<{ status: number; text: string }>((resolve, reject) => {
      sending.on('error', reject)
      sending.on('response', async (answer) => {
        let text = ''
        for await (const chunk of answer) text += chunk
        resolve({ status: answer.statusCode ?? 0, text })
      })
    })
    // more than is kept in memory until all of it is there
    sending.write('x'.repeat(100_000))
    const intents = () => askOnce(server.url(), `select count(*)::int from stowage.intents where name = 'frozen.txt'`)
    await expect.poll(intents, { timeout: 10_000 }).toBe(1)
    await expect.poll(() => filesIn(join(folder, 'bytes')).length).toBe(before + 1)

    a.signal('SIGSTOP')
    await expect.poll(intents, { timeout: 20_000 }).toBe(0)
    await expect.poll(() => filesIn(join(folder, 'bytes')).length, { timeout: 20_000 }).toBe(before)
    // what is written meanwhile under the same name stands
    expect((await ask(b, '/object/shared/frozen.txt', { method: 'POST', body: 'of the other' })).status).toBe(200)
    a.signal('SIGCONT')
    sending.end('ten more..')
    const { status, text } = await answered
    expect([status >= 400, text]).toEqual([true, expect.stringMatching(/interrupted|UploadInterrupted|again/i)])
    for (const at of [a, b]) expect((await ask(at, '/object/shared/frozen.txt')).text).toBe('of the other')
    // and nothing of it stays behind
    await expect.poll(waiting, { timeout: 20_000 }).toBe(0)
    await expect.poll(() => filesIn(join(folder, 'bytes')).length, { timeout: 20_000 }).toBe(before + 1)
  })

  test('one that is killed in the middle of everything leaves the other right, and its left-overs are swept', async () => {
    const c = await another()
    const kept = new Map<string, string>()
    const writers = [0, 1, 2, 3].map(async (writer) => {
      for (let i = 0; i < 200; i += 1) {
        const name = `k${writer}-${i}`
        const put = await ask(c, `/object/shared/${name}`, { method: 'POST', body: `text of ${name}` }).catch(() => null)
        if (put === null) return
        if (put.status === 200) kept.set(name, `text of ${name}`)
      }
    })
    await expect.poll(() => kept.size, { timeout: 20_000 }).toBeGreaterThan(40)
    c.signal('SIGKILL')
    await Promise.all(writers)
    for (const [name, text] of kept) expect((await ask(b, `/object/shared/${name}`)).text).toBe(text)
    const rows = async () => Number(await askOnce(server.url(), 'select count(*)::int from storage.objects'))
    await expect.poll(async () => filesIn(join(folder, 'bytes')).length - (await rows()), { timeout: 20_000 }).toBe(0)
  })

  test('one that stops has answered everything that reached it', async () => {
    const c = await another()
    const agent = new Agent({ keepAlive: true, maxSockets: 8 })
    const failures: unknown[] = []
    let answers = 0
    let refused = false
    const once = () =>
      new Promise<void>((resolve) => {
        const asked = request(`${c.baseUrl}/graphql/v1`, {
          agent,
          method: 'POST',
          headers: { authorization: `Bearer ${anonKey}`, apikey: anonKey, 'content-type': 'application/json' },
        })
        asked.on('error', (error: NodeJS.ErrnoException) => {
          // nobody listens any more: a balancer asks the next one
          if (error.code === 'ECONNREFUSED') refused = true
          else failures.push(error.code ?? error.message)
          resolve()
        })
        asked.on('response', (answer) => {
          if (answer.statusCode === 200) answers += 1
          else failures.push(answer.statusCode)
          answer.resume()
          answer.on('end', resolve)
        })
        asked.end('{"query":"{ stormCollection { edges { node { id } } } }"}')
      })
    const clients = Array.from({ length: 8 }, async () => {
      while (!refused) await once()
    })
    await expect.poll(() => answers, { timeout: 60_000 }).toBeGreaterThan(50)
    c.signal('SIGTERM')
    await Promise.all(clients)
    expect(failures).toEqual([])
    expect(await c.exited).toBe(0)
    agent.destroy()
  })
})
