import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeApiKeys } from '../../src/auth/api-keys.ts'
import { freePort } from '../support/own-server.ts'
import { type ServiceProcess, serviceProcess } from '../support/processes.ts'

const SECRET = 'a secret that the workers share, long'
let folder: string
let service: ServiceProcess | undefined
let key: string
beforeAll(async () => {
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../bin/prepare.js')])
  key = (await makeApiKeys(SECRET, new Date())).serviceKey
}, 120_000)
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'workers-'))
})
afterEach(async () => {
  service?.signal('SIGTERM')
  await service?.exited
  service = undefined
  await rm(folder, { recursive: true, force: true })
})

async function start(settings: Record<string, string> = {}): Promise<ServiceProcess> {
  service = await serviceProcess({
    PORT: String(await freePort()),
    STOWAGE_DATA: folder,
    STOWAGE_WORKERS: '2',
    JWT_SECRET: SECRET,
    ...settings,
  })
  const { output } = service
  // one of them answers before all of them do, and one that ends before that ends the start
  await expect.poll(output, { timeout: 60_000 }).toContain('Stowage is ready')
  return service
}

const workersOf = (at: ServiceProcess) => at.children('stowage.js')
const isAlive = (pid: number) => existsSync(`/proc/${pid}`)

/** Reads, writes and lists on kept connections until it is told to end; answers what did not come out right. */
function load(at: ServiceProcess): {
  /** resolves when so many more were right */
  readonly answered: (count: number) => Promise<void>
  readonly end: () => Promise<readonly unknown[]>
} {
  let going = true
  let answers = 0
  const failures: unknown[] = []
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'text/plain' }
  const client = async (me: number) => {
    for (let i = 0; going; i += 1) {
      const key = `${me}-${i}`
      try {
        const put = await fetch(`${at.baseUrl}/object/load/${key}`, { method: 'POST', headers, body: key })
        await put.arrayBuffer()
        const got = await fetch(`${at.baseUrl}/object/load/${key}`, { headers })
        const text = await got.text()
        if (put.status === 200 && text === key) answers += 2
        else failures.push([put.status, got.status, text])
      } catch (error) {
        failures.push(error instanceof Error ? String(error.cause ?? error) : error)
      }
    }
  }
  const clients = Array.from({ length: 6 }, (_, me) => client(me))
  return {
    answered: async (count) => {
      const from = answers
      while (answers < from + count) await sleep(10)
    },
    end: async () => {
      going = false
      await Promise.all(clients)
      return failures
    },
  }
}

const makeBucket = (at: ServiceProcess) =>
  fetch(`${at.baseUrl}/bucket`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"name":"load"}',
  })

/** Over a connection of its own: the status, or why there is none. */
const askOnce = (url: string): Promise<string> =>
  new Promise((resolve) => {
    request(url, { agent: false }, (answer) => resolve(String(answer.resume().statusCode)))
      .on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)))
      .end()
  })

describe('workers', { timeout: 120_000 }, () => {
  test('serve together, are replaced one after the other without a failed request, and leave together', async () => {
    const at = await start()
    const first = workersOf(at)
    expect(first).toHaveLength(2)
    expect((await makeBucket(at)).status).toBe(200)
    const working = load(at)
    await working.answered(50)
    at.signal('SIGUSR2')
    await expect.poll(() => workersOf(at).some((pid) => first.includes(pid)), { timeout: 60_000 }).toBe(false)
    await working.answered(50)
    expect(await working.end()).toEqual([])
    const second = workersOf(at)
    expect(second).toHaveLength(2)
    at.signal('SIGTERM')
    expect(await at.exited).toBe(0)
    expect([...first, ...second].filter(isAlive)).toEqual([])
  })

  test('one that is killed costs what was under way on it, and is started again', async () => {
    const at = await start()
    expect((await makeBucket(at)).status).toBe(200)
    const [victim = 0, other = 0] = workersOf(at)
    const working = load(at)
    await working.answered(50)
    process.kill(victim, 'SIGKILL')
    await expect.poll(() => workersOf(at).filter((pid) => pid !== victim).length, { timeout: 60_000 }).toBe(2)
    await working.answered(50)
    // each of six clients has one request under way at most
    expect((await working.end()).length).toBeLessThanOrEqual(6)
    expect(workersOf(at)).toContain(other)
    expect(at.output()).toContain('a worker ended and is started again')
  })

  test('one that is told to stop while it starts stops', async () => {
    const at = await start()
    const first = workersOf(at)
    process.kill(first[0] ?? 0, 'SIGKILL')
    await expect.poll(() => workersOf(at).some((pid) => !first.includes(pid)), { timeout: 60_000, interval: 1 }).toBe(true)
    at.signal('SIGTERM')
    expect(await at.exited).toBe(0)
    expect(at.output()).not.toContain('did not leave')
  })

  test('one that dies with a connection on its way to it: that client is not left waiting', async () => {
    const at = await start()
    const [victim = 0] = workersOf(at)
    process.kill(victim, 'SIGSTOP')
    const outcomes: string[] = []
    try {
      // a worker is handed one at a time, and the one that stands still takes none
      const clients = Array.from({ length: 6 }, async () => outcomes.push(await askOnce(`${at.baseUrl}/health/live`)))
      await expect.poll(() => outcomes, { timeout: 30_000 }).toHaveLength(5)
      process.kill(victim, 'SIGKILL')
      await Promise.all(clients)
    } finally {
      if (isAlive(victim)) process.kill(victim, 'SIGCONT')
    }
    expect(outcomes).toEqual([...Array(5).fill('200'), 'ECONNRESET'])
  })

  test('a terminal that closes the whole group, and a watcher that is killed, leave nobody behind', async () => {
    const at = await start()
    const workers = workersOf(at)
    for (const pid of workers) process.kill(pid, 'SIGINT')
    await sleep(300)
    expect(workersOf(at)).toEqual(workers)
    at.signal('SIGKILL')
    await at.exited
    await expect.poll(() => workers.filter(isAlive), { timeout: 20_000 }).toEqual([])
  })

  test('metrics are of all workers, fall behind for none that is frozen, and never go back when one is killed or replaced', async () => {
    const metricsPort = await freePort()
    const at = await start({ STOWAGE_METRICS_PORT: String(metricsPort), STOWAGE_METRICS_TOKEN: 'a-token-for-metrics-only' })
    const scrape = async () => {
      const headers = { authorization: 'Bearer a-token-for-metrics-only' }
      const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { headers })
      expect(answer.status).toBe(200)
      const text = await answer.text()
      const value = (sample: string) =>
        Number(
          text
            .split('\n')
            .find((line) => line.startsWith(`${sample} `))
            ?.slice(sample.length) ?? 'NaN',
        )
      return { text, value, buckets: value('stowage_request_seconds_count{route="/bucket"}') }
    }
    expect((await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).status).toBe(401)
    const askFor = async (count: number) => {
      // a connection each, so that both workers are asked
      for (let i = 0; i < count; i += 1)
        await fetch(`${at.baseUrl}/bucket`, { headers: { authorization: `Bearer ${key}`, connection: 'close' } }).then((answer) =>
          answer.text(),
        )
    }
    await askFor(20)
    await expect.poll(async () => (await scrape()).buckets, { timeout: 10_000 }).toBe(20)
    const { value, text } = await scrape()
    expect([value('stowage_processes{told="yes"}'), value('stowage_processes{told="no"}'), value('stowage_ready')]).toEqual([2, 0, 1])
    for (const worker of ['1', '2']) expect(value(`process_resident_memory_bytes{worker="${worker}"}`)).toBeGreaterThan(10_000_000)
    expect(value('stowage_database_connections_max{login="web"}')).toBeGreaterThan(1)
    expect(text.match(/^stowage_outbox_versions /gm)).toHaveLength(1)

    const [frozen = 0, killed = 0] = workersOf(at)
    process.kill(frozen, 'SIGSTOP')
    const began = performance.now()
    const meanwhile = await scrape()
    expect(performance.now() - began).toBeLessThan(15_000)
    expect([meanwhile.buckets, meanwhile.value('stowage_processes{told="no"}'), meanwhile.value('stowage_ready')]).toEqual([20, 1, 0])
    process.kill(frozen, 'SIGCONT')
    process.kill(killed, 'SIGKILL')
    await expect.poll(() => workersOf(at).filter((pid) => pid !== killed).length, { timeout: 20_000 }).toBe(2)
    await expect.poll(async () => (await scrape()).value('stowage_processes{told="yes"}'), { timeout: 20_000 }).toBe(2)
    const after = await scrape()
    expect([after.buckets, after.value('stowage_ready')]).toEqual([20, 1])
    expect(after.value('stowage_log_lines_total{level="error",message="a worker ended and is started again"}')).toBe(1)

    await askFor(10)
    const before = workersOf(at)
    at.signal('SIGUSR2')
    await expect.poll(() => workersOf(at).filter((pid) => !before.includes(pid)).length, { timeout: 40_000 }).toBe(2)
    await expect.poll(() => workersOf(at).filter((pid) => before.includes(pid)), { timeout: 40_000 }).toEqual([])
    // what was asked of them after they were asked last, they told on leaving
    expect((await scrape()).buckets).toBe(30)
  })

  test('what keeps them from serving is told once, and ends the start', async () => {
    const failed = await start({ STOWAGE_JWKS: '{"keys":[{"kty":"none"}]}' }).then(
      () => 'started',
      (error: Error) => error.message,
    )
    expect(failed).toContain('STOWAGE_JWKS cannot be used')
  })
})
