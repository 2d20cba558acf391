import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeApiKeys } from '../../src/auth/api-keys.ts'
import { freePort } from '../support/own-server.ts'
import { type ServiceProcess, serviceProcess } from '../support/processes.ts'
import { type S3Server, s3Program, startS3Server } from '../support/s3-server.ts'

const MIB = 2 ** 20
const SIZE = process.env.FULL_SIZE ? 2048 * MIB : 256 * MIB
/** What the process may hold at most, whatever goes through it. */
const MOST_MIB = 300
const CHUNK = 256 * 1024
const SECRET = 'a secret for what is large, and long'

const program = await s3Program('large bodies through the service, on S3')

/** Bytes of which no two chunks are alike. */
function* chunksOf(size: number): Generator<Buffer> {
  const noise = createHash('shake256', { outputLength: CHUNK }).update(String(size)).digest()
  for (let at = 0; at < size; at += CHUNK) {
    const chunk = Buffer.from(noise.subarray(0, Math.min(CHUNK, size - at)))
    chunk.writeDoubleBE(at)
    yield chunk
  }
}

describe.skipIf(program === null)('a service with its bytes on S3', { timeout: 900_000 }, () => {
  let s3: S3Server
  let service: ServiceProcess
  let folder: string
  let token: string
  beforeAll(async () => {
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../bin/prepare.js')])
    s3 = await startS3Server(program ?? '')
    folder = await mkdtemp(join(tmpdir(), 'large-'))
    token = (await makeApiKeys(SECRET, new Date())).serviceKey
    service = await serviceProcess({
      ...(await s3.settings('large')),
      ...{ PORT: String(await freePort()), STOWAGE_DATA: folder, JWT_SECRET: SECRET, STOWAGE_UPLOAD_LIMIT: '4GiB' },
    })
    const made = await fetch(`${service.baseUrl}/bucket`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"name":"films"}',
    })
    expect(made.status).toBe(200)
  }, 120_000)
  afterAll(async () => {
    service?.signal('SIGTERM')
    await service?.exited
    await s3?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const ask = (method: string, path: string, headers: Record<string, string> = {}) => {
    const asking = request(`${service.baseUrl}${path}`, { method, headers: { authorization: `Bearer ${token}`, ...headers } })
    // for whoever waits for the answer; a body that cannot be sent rejects there as well
    asking.on('error', () => undefined)
    return asking
  }
  const peakMiB = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024

  /** The MD5 of what was sent. */
  async function upload(key: string, size: number, headers: Record<string, string>): Promise<string> {
    const sending = ask('POST', `/object/films/${key}`, { 'content-type': 'video/mp4', ...headers })
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>
    const hash = createHash('md5')
    await pipeline(function* () {
      for (const chunk of chunksOf(size)) {
        hash.update(chunk)
        yield chunk
      }
    }, sending)
    const [answer] = await answered
    let text = ''
    for await (const chunk of answer) text += chunk
    expect([answer.statusCode, text]).toEqual([200, expect.stringContaining(key)])
    return hash.digest('hex')
  }

  async function download(key: string): Promise<{ md5: string; size: number; headers: IncomingMessage['headers'] }> {
    const asking = ask('GET', `/object/films/${key}`)
    asking.end()
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]
    const hash = createHash('md5')
    let size = 0
    for await (const chunk of answer) {
      hash.update(chunk)
      size += chunk.length
    }
    expect([answer.statusCode, answer.complete]).toEqual([200, true])
    return { md5: hash.digest('hex'), size, headers: answer.headers }
  }

  test.skipIf(process.platform !== 'linux')(
    `takes ${SIZE / MIB} MiB and gives them back in less than ${MOST_MIB} MiB of memory`,
    async () => {
      const began = performance.now()
      const sent = await upload('long.mp4', SIZE, { 'content-length': String(SIZE) })
      const stored = performance.now()
      const got = await download('long.mp4')
      const ended = performance.now()
      expect([got.md5, got.size, got.headers['content-type'], got.headers['content-length']]).toEqual([
        sent,
        SIZE,
        'video/mp4',
        String(SIZE),
      ])
      const seconds = [stored - began, ended - stored].map((ms) => (ms / 1000).toFixed(1))
      console.info(`${SIZE / MIB} MiB: in ${seconds[0]} s up, ${seconds[1]} s down, at most ${Math.round(peakMiB())} MiB in memory`)

      // a sender who does not say how much comes
      const quarter = SIZE / 4
      const chunked = await upload('chunked.mp4', quarter, { 'transfer-encoding': 'chunked' })
      const again = await download('chunked.mp4')
      expect([again.md5, again.size]).toEqual([chunked, quarter])
      expect(peakMiB()).toBeLessThan(MOST_MIB)
    },
  )
})
