import { randomBytes } from 'node:crypto'
import { open, readFile, truncate, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SERVICE_KEY, type StorageService, startStorageService } from './storage-service.ts'

let service: StorageService
const auth = { authorization: `Bearer ${SERVICE_KEY}` }
const SMALL = 5_000
const LARGE = 3_000_000

beforeAll(async () => {
  service = await startStorageService('damage')
  await fetch(`${service.url}/bucket`, {
    method: 'POST',
    headers: { ...auth, 'content-type': 'application/json' },
    body: '{"name":"b","public":true}',
  })
})
afterAll(() => service.close())

async function put(key: string, body: Buffer): Promise<string> {
  const answer = await fetch(`${service.url}/object/b/${key}`, { method: 'PUT', headers: auth, body })
  expect(answer.status).toBe(200)
  const client = await service.database.connect()
  const { rows } = await client.query<{ version: string }>(`select version from storage.objects where name = $1`, [key])
  await client.end()
  const version = rows[0]?.version ?? ''
  return `${service.folder}/${version.slice(0, 2)}/${version.slice(2, 4)}/${version}`
}

/** Status, and the bytes that came; `broken`: the connection ended before they were all there. */
async function get(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; bytes: number; broken: boolean; told: string }> {
  const answer = await fetch(`${service.url}${path}`, { headers: { ...auth, ...headers } })
  const chunks: Uint8Array[] = []
  let broken = false
  try {
    for await (const chunk of answer.body ?? []) chunks.push(chunk)
  } catch {
    broken = true
  }
  const all = Buffer.concat(chunks)
  return { status: answer.status, bytes: all.length, broken, told: all.subarray(0, 300).toString('latin1') }
}

const alarms = () => service.observed.filter(({ kind }) => kind === 'bytes damaged')

type Damage = (file: string, size: number) => Promise<void>
const rewrite =
  (change: (all: Buffer) => Buffer): Damage =>
  async (file) =>
    writeFile(file, change(await readFile(file)))

const DAMAGES: readonly (readonly [string, Damage])[] = [
  ['one bit of the first byte', rewrite((all) => flipped(all, 0))],
  ['one bit in the middle', rewrite((all) => flipped(all, all.length >> 1))],
  ['one bit of the last byte', rewrite((all) => flipped(all, all.length - 1))],
  ['a block of zeroes', rewrite((all) => Buffer.from(all).fill(0, 1_000, 1_512))],
  ['two blocks swapped', rewrite((all) => Buffer.concat([all.subarray(512, 1_024), all.subarray(0, 512), all.subarray(1_024)]))],
  ['a block twice', rewrite((all) => Buffer.concat([all.subarray(0, 512), all.subarray(0, 512), all.subarray(1_024)]))],
  ['its last byte cut off', (file, size) => truncate(file, size - 1)],
  ['all of it cut off', (file) => truncate(file, 0)],
  ['half of it a hole', async (file, size) => truncate(file, size >> 1).then(() => truncate(file, size))],
  ['the bytes of another object', async (file, size) => writeFile(file, randomBytes(size))],
]

function flipped(all: Buffer, at: number): Buffer {
  const changed = Buffer.from(all)
  changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
  return changed
}

const PATHS = ['/object/public/b', '/object/authenticated/b', '/object/b']

describe.each(DAMAGES)('an object with %s', (_, damage) => {
  it('is an error when it is small, whole and in part, and never bytes', async () => {
    const file = await put('small', randomBytes(SMALL))
    await damage(file, SMALL)
    for (const headers of [{}, { range: 'bytes=0-' }, { range: 'bytes=2000-2009' }, { range: 'bytes=-1' }]) {
      const before = alarms().length
      const answer = await get(`${PATHS[0]}/small`, headers)
      expect(answer).toMatchObject({ status: 500, broken: false })
      expect(JSON.parse(answer.told)).toMatchObject({
        statusCode: '500',
        code: 'DamagedBytes',
        message: 'The stored bytes of the object are damaged',
      })
      expect(alarms().length - before).toBe(1)
    }
  })

  it('never ends as if it were right when it is large', async () => {
    const file = await put('large', randomBytes(LARGE))
    await damage(file, LARGE)
    for (const path of PATHS) {
      for (const headers of [{}, { range: 'bytes=0-' }]) {
        const before = alarms().length
        const answer = await get(`${path}/large`, headers)
        // where not even the first byte could be had, there is still an answer to give
        const isRefused = answer.status === 500 && answer.told.includes('"DamagedBytes"')
        expect(answer.broken || isRefused, `${path} ${JSON.stringify(headers)}`).toBe(true)
        expect(answer.bytes).toBeLessThan(LARGE)
        expect(alarms().length - before).toBe(1)
      }
    }
  })

  it('is found just after it was served undamaged', async () => {
    const file = await put('served', randomBytes(LARGE))
    for (let i = 0; i < 3; i++) expect(await get('/object/public/b/served')).toMatchObject({ status: 200, bytes: LARGE, broken: false })
    await damage(file, LARGE)
    const answer = await get('/object/public/b/served')
    expect(answer.broken || answer.status === 500).toBe(true)
  })

  it('is not copied', async () => {
    const file = await put('source', randomBytes(LARGE))
    await damage(file, LARGE)
    const copied = await fetch(`${service.url}/object/copy`, {
      method: 'POST',
      headers: { ...auth, 'content-type': 'application/json' },
      body: '{"bucketId":"b","sourceKey":"source","destinationKey":"target"}',
    })
    expect([copied.status, await copied.json()]).toMatchObject([500, { code: 'DamagedBytes' }])
    expect((await get('/object/public/b/target')).status).toBe(400)
  })
})

it('is served again when its bytes are put back', async () => {
  const file = await put('healed', randomBytes(SMALL))
  const right = await readFile(file)
  await writeFile(file, flipped(right, 7))
  expect((await get('/object/public/b/healed')).status).toBe(500)
  await writeFile(file, right)
  expect(await get('/object/public/b/healed')).toMatchObject({ status: 200, bytes: SMALL })
})

it.each([0, 1, 65_536, 65_537, 262_143, 262_144, 262_145, 1_000_000])(
  'an undamaged object of %i bytes arrives whole and in parts',
  async (size) => {
    const body = randomBytes(size)
    await put('right', body)
    expect(await get('/object/public/b/right')).toMatchObject({ status: 200, bytes: size, broken: false })
    if (size < 10) return
    for (const [first, last] of [
      [0, size - 1],
      [0, 0],
      [size - 1, size - 1],
      [3, size - 2],
    ] as const) {
      const part = await fetch(`${service.url}/object/public/b/right`, { headers: { range: `bytes=${first}-${last}` } })
      expect([part.status, Buffer.from(await part.arrayBuffer()).equals(body.subarray(first, last + 1))]).toEqual([206, true])
    }
  },
)

it('an empty object whose file has grown is an error', async () => {
  const file = await put('empty', Buffer.alloc(0))
  await writeFile(file, 'from somewhere')
  expect((await get('/object/public/b/empty')).status).toBe(500)
})

it('a part of a large object that its file is too short for breaks off, and sounds the alarm', async () => {
  const file = await put('cut', randomBytes(LARGE))
  await truncate(file, LARGE - 1)
  const before = alarms().length
  expect(await get('/object/public/b/cut', { range: 'bytes=1000000-' })).toMatchObject({ status: 206, broken: true })
  expect(alarms().length - before).toBe(1)
  expect(await get('/object/public/b/cut', { range: 'bytes=0-99' })).toMatchObject({ status: 206, bytes: 100, broken: false })
})

it('on the wire, the length that was announced is not reached, and the connection is closed', async () => {
  const file = await put('wire', randomBytes(LARGE))
  const handle = await open(file, 'r+')
  await handle.write(Buffer.alloc(10), 0, 10, LARGE - 10)
  await handle.close()
  const { hostname, port } = new URL(service.url)
  const received = await new Promise<Buffer>((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () => socket.write('GET /object/public/b/wire HTTP/1.1\r\nHost: x\r\n\r\n'))
    socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => undefined)
    socket.on('close', () => resolve(Buffer.concat(chunks)))
  })
  const head = received.subarray(0, received.indexOf('\r\n\r\n')).toString()
  expect(head).toMatch(/^HTTP\/1.1 200 OK/)
  expect(head.toLowerCase()).toContain(`content-length: ${LARGE}`)
  expect(received.length - head.length - 4).toBeLessThan(LARGE)
})

it('a row without a checksum is served by its length alone', async () => {
  const file = await put('unchecked', randomBytes(SMALL))
  await writeFile(file, flipped(await readFile(file), 1))
  const client = await service.database.connect()
  await client.query(`update storage.objects set crc32 = null where name = 'unchecked'`)
  await client.end()
  expect(await get('/object/public/b/unchecked')).toMatchObject({ status: 200, bytes: SMALL })
})

describe('where reads are not verified', () => {
  it('damage of the same length is served', async () => {
    const verifying = service
    service = await startStorageService('trusting', { verifyReads: false })
    try {
      await fetch(`${service.url}/bucket`, {
        method: 'POST',
        headers: { ...auth, 'content-type': 'application/json' },
        body: '{"name":"b","public":true}',
      })
      for (const size of [SMALL, LARGE]) {
        const file = await put('trusted', randomBytes(size))
        await writeFile(file, flipped(await readFile(file), 1))
        expect(await get('/object/public/b/trusted')).toMatchObject({ status: 200, bytes: size, broken: false })
      }
    } finally {
      await service.close()
      service = verifying
    }
  })
})

it.each(['nonsense', 'a/b/c', 'text/', ';charset=x', 'image/png; charset="', 'application/json', 'x/y;z'])(
  'the stored type %s is sent as it is',
  async (type) => {
    const body = JSON.stringify({ small: true })
    const path = `${service.url}/object/b/typed`
    const form = new FormData()
    form.append('contentType', type)
    form.append('', new Blob([body]), 'f')
    const put = await fetch(path, { method: 'PUT', headers: auth, body: form })
    if (put.status !== 200) return expect(put.status).toBe(400)
    for (const headers of [{}, { range: 'bytes=0-4' }]) {
      const got = await fetch(path, { headers: { ...auth, ...headers } })
      expect([got.headers.get('content-type'), await got.text()]).toEqual([type, 'range' in headers ? body.slice(0, 5) : body])
    }
  },
)
