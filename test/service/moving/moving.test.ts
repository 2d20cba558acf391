import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createService, type Service } from '../../../src/index.ts'
import { token } from '../../http/storage/storage-service.ts'
import { type FreshDatabase, freshDatabase, withClient } from '../../support/postgres.ts'
import { type S3Server, s3Program, startS3Server } from '../../support/s3-server.ts'
import {
  insertPeerBuckets,
  insertPeerObject,
  makeOldPeerSchema,
  makePeerPolicies,
  makePeerSchema,
  OWNER,
  oddPeerObjects,
  type PeerObject,
  peerObject,
  peerObjects,
  peerPath,
  writePeerFile,
} from './peer-storage.ts'

const ROOT = join(import.meta.dirname, '../../..')
const JWT_SECRET = 'a-secret-of-the-tests-with-more-than-32-characters'
const program = await s3Program('moving to and from S3')

let folder: string
let data: string
let source: FreshDatabase
let running: Service | null = null
let s3: S3Server | null = null

beforeAll(async () => {
  await promisify(execFile)(process.execPath, [join(ROOT, 'bin/prepare.js')])
  if (program !== null) s3 = await startS3Server(program)
}, 120_000)
afterAll(() => s3?.stop())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stowage-moving-'))
  data = join(folder, 'data')
  source = await freshDatabase('peer')
  await withClient(source.url, async (client) => {
    await makePeerSchema(client)
    await insertPeerBuckets(client)
    await makePeerPolicies(client)
  })
})
afterEach(async () => {
  await stop()
  await source.drop()
  await rm(folder, { recursive: true, force: true })
})

type Settings = Readonly<Record<string, string>>
const settingsOf = (more: Settings = {}): Record<string, string> => ({
  STOWAGE_DATA: data,
  JWT_SECRET,
  PORT: '0',
  STOWAGE_LOG_LEVEL: 'silent',
  ...more,
})

async function serve(more: Settings = {}): Promise<Service> {
  running = await createService(settingsOf(more))
  return running
}
async function stop(): Promise<void> {
  await running?.stop()
  running = null
}

function start(args: readonly string[], more: Settings = {}): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [join(ROOT, 'bin/stowage.js'), ...args], {
    env: { PATH: process.env.PATH, ...settingsOf(more) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout?.on('data', (chunk) => {
    out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    err += chunk
  })
  return {
    child,
    ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, err, report: out === '' ? null : JSON.parse(out) }))),
  }
}
// biome-ignore lint/suspicious/noExplicitAny: a report as a script reads it
type Ended = { readonly code: number | null; readonly err: string; readonly report: any }
const run = (args: readonly string[], more: Settings = {}): Promise<Ended> => start(args, more).ended

/** The peer's rows, and its files in a folder. */
async function fill(objects: readonly PeerObject[], write: (object: PeerObject) => Promise<void> = inFolder): Promise<void> {
  await withClient(source.url, async (client) => {
    for (const object of objects) await insertPeerObject(client, object)
  })
  for (const object of objects) await write(object)
}
const files = () => join(folder, 'peer')
const inFolder = (object: PeerObject) => writePeerFile(files(), object)

const get = (service: Service, { bucket, name }: Pick<PeerObject, 'bucket' | 'name'>, key = service.serviceKey) =>
  fetch(`${service.baseUrl}/storage/v1/object/${bucket}/${name.split('/').map(encodeURIComponent).join('/')}`, {
    headers: { authorization: `Bearer ${key}` },
  })

async function expectServed(service: Service, objects: readonly PeerObject[]): Promise<void> {
  for (const object of objects) {
    const response = await get(service, object)
    expect([object.name, response.status]).toEqual([object.name, 200])
    expect(Buffer.from(await response.arrayBuffer()).equals(object.content)).toBe(true)
    expect(response.headers.get('content-type')?.toLowerCase()).toBe(object.mediaType.toLowerCase())
    expect(response.headers.get('cache-control')).toBe(object.cacheControl)
    expect(response.headers.get('etag')).toBe(object.etag)
  }
}

/** Rows as they were: all but the version, whose name may change. */
async function rowsOf(url: string): Promise<unknown[]> {
  return withClient(url, async (client) => {
    const columns = 'id, bucket_id, name, owner, owner_id, created_at, updated_at, last_accessed_at, metadata, user_metadata'
    const objects = await client.query(`select ${columns} from storage.objects order by bucket_id, name collate "C"`)
    const buckets = await client.query(
      'select id, name, owner, owner_id, created_at, updated_at, public, file_size_limit, allowed_mime_types from storage.buckets order by id',
    )
    const policies = await client.query(
      `select tablename, policyname, permissive, roles, cmd, qual, with_check from pg_policies where schemaname = 'storage' order by 1, 2`,
    )
    return [objects.rows, buckets.rows, policies.rows]
  })
}

describe('importing', () => {
  test('brings every object with its bytes, type, metadata, owner and times, and the policies decide as they did', async () => {
    const objects = peerObjects()
    await fill(objects)
    const { code, report, err } = await run(['import', '--from', source.url, '--folder', files()])
    expect([code, report]).toEqual([
      0,
      {
        buckets: { created: 3, present: 0, skipped: [] },
        objects: { imported: objects.length, present: 0, failed: 0 },
        bytes: objects.reduce((sum, { content }) => sum + content.length, 0),
        leftOut: { olderVersions: 0, deletionMarks: 0 },
        failures: [],
        policies: { created: expect.any(Array), present: [], failed: [] },
      },
    ])
    expect(report.policies.created).toContain('Never the vault on storage.objects')
    expect(err).toMatch(/importing: \[#{20}\] 100% 18 of 18 objects/)

    const service = await serve()
    await expectServed(service, objects)
    expect(await rowsOf(service.databaseUrl)).toEqual(await rowsOf(source.url))
    const owner = token({ role: 'authenticated', sub: OWNER }, JWT_SECRET)
    const statuses = async (key: string) =>
      Object.fromEntries(await Promise.all(objects.map(async (object) => [object.name, (await get(service, object, key)).status])))
    expect(await statuses(service.anonKey)).toMatchObject({
      'hello.txt': 200,
      a: 400,
      'vault/secret.txt': 400,
      [`${OWNER}/diary.txt`]: 400,
    })
    expect(await statuses(owner)).toMatchObject({
      [`${OWNER}/diary.txt`]: 200,
      'someone/else.txt': 400,
      'hello.txt': 200,
      'vault/secret.txt': 400,
    })

    const again = await run(['import', '--from', source.url, '--folder', files()])
    expect([again.code, again.report.objects, again.report.policies.present.length]).toEqual([
      0,
      { imported: 0, present: 18, failed: 0 },
      5,
    ])
    await expectServed(service, objects)
  }, 180_000)

  test('goes on where it broke off, brings what changed there and leaves what changed here', async () => {
    const objects = Array.from({ length: 400 }, (_, i) => peerObject('open', `many/${i}.txt`, Buffer.from(`number ${i}`)))
    await fill(objects)
    const args = ['import', '--from', source.url, '--folder', files(), '--jobs', '2']
    const breakOff = async (signal: NodeJS.Signals, after: number) => {
      const broken = start(args)
      while ((await readdir(join(data, 'bytes')).catch(() => [])).length < after) await sleep(5)
      broken.child.kill(signal)
      return broken.ended
    }
    const stopped = await breakOff('SIGINT', 5)
    expect([stopped.code, stopped.err]).toEqual([1, expect.stringContaining('It was stopped. Run the same command again')])
    await breakOff('SIGKILL', 40)
    const service = await serve()
    // what it held would be let go by itself, after a while
    await withClient(service.databaseUrl, (client) => client.query(`delete from stowage.leases where name = 'moving'`))
    const first = await run(args)
    expect([first.code, first.report.objects.failed]).toEqual([0, 0])
    expect(first.report.objects.present).toBeGreaterThan(0)
    expect(first.report.objects.imported + first.report.objects.present).toBe(400)

    const there = { ...objects[1], content: Buffer.from('newer'), version: '99999999-0000-4000-8000-000000000000' } as PeerObject
    await writePeerFile(files(), there)
    await withClient(source.url, (client) =>
      client.query(
        `update storage.objects set version = $2, updated_at = now(), metadata = metadata || '{"size": 5, "contentLength": 5, "eTag": "\\"x\\""}' where id = $1`,
        [there.id, there.version],
      ),
    )
    const upload = await fetch(`${service.baseUrl}/storage/v1/object/open/many/2.txt`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${service.serviceKey}`, 'content-type': 'text/plain' },
      body: 'changed here',
    })
    expect(upload.status).toBe(200)
    const second = await run(args)
    expect([second.code, second.report.objects]).toEqual([0, { imported: 1, present: 399, failed: 0 }])
    expect(await (await get(service, there)).text()).toBe('newer')
    expect(await (await get(service, { bucket: 'open', name: 'many/2.txt' })).text()).toBe('changed here')
    await expectServed(service, objects.slice(3))
  }, 180_000)

  test('names what is missing or not what its row says, brings the rest, and ends with 1', async () => {
    const good = peerObject('open', 'good.txt', Buffer.from('good'))
    const gone = peerObject('open', 'gone.txt', Buffer.from('gone'))
    const short = peerObject('open', 'short.txt', Buffer.from('short'))
    const rotten = peerObject('open', 'rotten.txt', Buffer.from('rotten'))
    await fill([good, gone, short, rotten])
    await unlink(join(files(), peerPath(gone)))
    await writeFile(join(files(), peerPath(short)), 'sho')
    await writeFile(join(files(), peerPath(rotten)), 'rotteN')
    await withClient(source.url, (client) =>
      client.query('create role only_there; create policy "For one" on storage.objects for select to only_there using (true)'),
    )
    try {
      const { code, report } = await run(['import', '--from', source.url, '--folder', files()])
      expect([code, report.objects]).toEqual([1, { imported: 1, present: 0, failed: 3 }])
      expect(Object.fromEntries(report.failures.map(({ key, why }: { key: string; why: string }) => [key, why]))).toEqual({
        'open/gone.txt': 'its bytes are not there',
        'open/short.txt': '3 bytes are there, and its row says 5',
        'open/rotten.txt': expect.stringMatching(/^its MD5 is [0-9a-f]{32}, and its row says [0-9a-f]{32}$/),
      })
      expect(report.policies.failed).toEqual([
        { policy: 'For one on storage.objects', why: expect.stringContaining('"only_there" does not exist') },
      ])
      const service = await serve()
      await expectServed(service, [good])
      expect((await get(service, rotten)).status).toBe(400)
    } finally {
      await withClient(source.url, (client) => client.query('drop policy "For one" on storage.objects; drop role only_there'))
    }
  }, 180_000)

  test('takes the bytes of rows that are in its own database already, and leaves the rows as they are', async () => {
    const objects = peerObjects()
    for (const object of objects) await inFolder(object)
    const service = await serve()
    const client = new pg.Client({ connectionString: service.databaseUrl })
    await client.connect()
    try {
      await insertPeerBuckets(client)
      for (const object of objects) await insertPeerObject(client, object)
    } finally {
      await client.end()
    }
    const before = await rowsOf(service.databaseUrl)
    expect((await get(service, objects[0] as PeerObject)).status).toBe(400)
    const { code, report } = await run(['import', '--folder', files()])
    expect([code, report.objects]).toEqual([0, { imported: 18, present: 0, failed: 0 }])
    await expectServed(service, objects)
    expect(await rowsOf(service.databaseUrl)).toEqual(before)
    expect((await run(['import', '--folder', files()])).report.objects).toEqual({ imported: 0, present: 18, failed: 0 })
  }, 180_000)

  test('keeps what metadata says beyond what is known, to the digit, and fills in what it lacks', async () => {
    const [bare, rich] = [peerObject('open', 'bare.bin', Buffer.from('bare')), peerObject('open', 'rich.txt', Buffer.from('rich'))]
    await fill([bare, rich])
    await withClient(source.url, (client) =>
      client.query(`
        update storage.objects set metadata = null, user_metadata = '"a word"' where name = 'bare.bin';
        update storage.objects set metadata = metadata || '{"own": 12345678901234567890.12, "httpStatusCode": null}' where name = 'rich.txt'`),
    )
    expect((await run(['import', '--from', source.url, '--folder', files()])).code).toBe(0)
    const service = await serve()
    await expectServed(service, [{ ...bare, mediaType: 'application/octet-stream', cacheControl: 'no-cache' }, rich])
    const { rows } = await withClient(service.databaseUrl, (client) =>
      client.query(
        `select metadata ->> 'own' as own, metadata -> 'httpStatusCode' as status, user_metadata from storage.objects order by name`,
      ),
    )
    expect(rows).toEqual([
      { own: null, status: 200, user_metadata: 'a word' },
      { own: '12345678901234567890.12', status: null, user_metadata: null },
    ])
  }, 180_000)

  test('brings of each key what is there now, and counts the older versions and the marks of deletions', async () => {
    const now = peerObject('open', 'kept.txt', Buffer.from('the third'))
    const before = ['the first', 'the second'].map((text) => ({ ...peerObject('open', 'kept.txt', Buffer.from(text)), id: now.id }))
    const gone = peerObject('open', 'gone.txt', Buffer.from('it was here'))
    const plain = peerObject('open', 'plain.txt', Buffer.from('never had versions'))
    await withClient(source.url, async (client) => {
      await client.query(`update storage.buckets set versioning_status = 'ENABLED' where id = 'open'`)
      for (const [i, older] of [...before, gone].entries()) {
        await insertPeerObject(client, older)
        await client.query(`update storage.objects set is_versioned = true, archived_at = $2 where version = $1`, [
          older.version,
          `2024-01-0${i + 1}`,
        ])
      }
    })
    await fill([now, plain])
    for (const older of [...before, gone]) await inFolder(older)
    await withClient(source.url, (client) =>
      client.query(
        `insert into storage.objects (id, bucket_id, name, version, is_versioned, is_delete_marker) values ($1, 'open', 'gone.txt', gen_random_uuid(), true, true)`,
        [gone.id],
      ),
    )
    for (const found of [
      { imported: 2, present: 0 },
      { imported: 0, present: 2 },
    ]) {
      const { code, report } = await run(['import', '--from', source.url, '--folder', files()])
      expect([code, report.objects, report.leftOut]).toEqual([0, { ...found, failed: 0 }, { olderVersions: 3, deletionMarks: 1 }])
    }
    const service = await serve()
    await expectServed(service, [now, plain])
    expect((await get(service, gone)).status).toBe(400)
    await stop()

    // its own database cannot become ours: here a key is one object
    const kept = await run(['migrate'], { DATABASE_URL: source.url, STOWAGE_DATA: join(folder, 'kept') })
    expect([kept.code, kept.err]).toEqual([1, expect.stringMatching(/unique index .*\(open, (kept|gone)\.txt\)/)])
  }, 180_000)

  test('brings keys that nobody can ask for by an address, to be listed and moved', async () => {
    const odd = oddPeerObjects()
    await fill(odd)
    const { code, report } = await run(['import', '--from', source.url, '--folder', files()])
    expect([code, report.objects]).toEqual([0, { imported: odd.length, present: 0, failed: 0 }])
    const service = await serve()
    const ask = (path: string, body: object) =>
      fetch(`${service.baseUrl}/storage/v1/object/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.serviceKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const listed = (await (await ask('list-v2/mixed', { with_delimiter: false })).json()) as { objects: { name: string }[] }
    expect(listed.objects.map(({ name }) => name).sort()).toEqual(odd.map(({ name }) => name).sort())
    for (const [i, object] of odd.entries()) {
      expect((await get(service, object)).status).toBe(400)
      const moved = await ask('move', { bucketId: 'mixed', sourceKey: object.name, destinationKey: `moved/${i}` })
      expect(moved.status).toBe(200)
      await expectServed(service, [{ ...object, name: `moved/${i}` }])
    }
  }, 180_000)

  test('takes over one that was not brought up to date for years', async () => {
    const older = await freshDatabase('older')
    try {
      await withClient(older.url, async (client) => {
        await makeOldPeerSchema(client)
        await client.query('alter table storage.objects drop column user_metadata, drop column owner_id')
        await client.query('alter table storage.buckets drop column type, drop column owner_id')
        await client.query(`insert into storage.buckets (id, name, public) values ('open', 'open', true)`)
        const { id, bucket, name, createdAt, updatedAt, content } = old
        await client.query(
          `insert into storage.objects (id, bucket_id, name, owner, metadata, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7)`,
          [
            id,
            bucket,
            name,
            OWNER,
            { size: content.length, mimetype: old.mediaType, cacheControl: old.cacheControl, eTag: old.etag },
            createdAt,
            updatedAt,
          ],
        )
      })
      await inFolder(old)
      const { code, report } = await run(['import', '--from', older.url, '--folder', files()])
      expect([code, report.objects]).toEqual([0, { imported: 1, present: 0, failed: 0 }])
      await expectServed(await serve(), [old])
    } finally {
      await older.drop()
    }
  }, 180_000)
  const old = peerObject('open', 'a/photo.png', Buffer.from('from years ago'), { version: null, mediaType: 'image/png' })

  test('says what is wrong with where it shall look', async () => {
    const nowhere = await run(['import', '--from', source.url, '--folder', join(folder, 'nowhere')])
    expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining('There is no folder')])
    await mkdir(files())
    const empty = await freshDatabase('empty')
    try {
      const none = await run(['import', '--from', empty.url, '--folder', files()])
      expect([none.code, none.err]).toEqual([1, expect.stringContaining('no tables storage.buckets and storage.objects')])
    } finally {
      await empty.drop()
    }
    const both = await run(['import', '--folder', 'x', '--bucket', 'y'])
    expect([both.code, both.err]).toEqual([1, expect.stringContaining('either --folder or --bucket')])
  }, 180_000)
})

describe('exporting', () => {
  test('gives a Supabase Storage that can be imported again, with nothing lost', async () => {
    const objects = peerObjects()
    await fill(objects)
    await run(['import', '--from', source.url, '--folder', files()])
    const [out, tree] = [join(folder, 'out'), join(folder, 'tree')]
    const args = ['export', '--folder', tree, '--out', out]
    const { code, report } = await run(args)
    expect([code, report]).toMatchObject([0, { exported: 18, present: 0, failed: 0, withoutBytes: 0 }])
    expect((await run(args)).report).toMatchObject({ exported: 0, present: 18, failed: 0 })

    const attributes = await readFile(join(out, 'attributes.txt'), 'utf8')
    expect(attributes).toContain('user.supabase.content-type="image/svg+xml"\nuser.supabase.cache-control="max-age=60"\n')
    const peer = await freshDatabase('exported')
    try {
      await withClient(peer.url, async (client) => {
        await makePeerSchema(client)
        await client.query(await readFile(join(out, 'storage.sql'), 'utf8'))
      })
      expect(await rowsOf(peer.url)).toEqual(await rowsOf(source.url))
      data = join(folder, 'data again')
      expect((await run(['import', '--from', peer.url, '--folder', tree])).report.objects).toEqual({ imported: 18, present: 0, failed: 0 })
    } finally {
      await peer.drop()
    }
    await expectServed(await serve(), objects)
  }, 180_000)
})

describe.skipIf(program === null)('with S3', () => {
  let made = 0
  async function bucket(): Promise<{ settings: Settings; client: S3Client; name: string; endpoint: string }> {
    if (s3 === null) throw new Error('no server')
    const place = await s3.place(`moving-${++made}`)
    const settings = {
      STOWAGE_S3_ENDPOINT: place.endpoint,
      STOWAGE_S3_BUCKET: place.bucket,
      STOWAGE_S3_PATH_STYLE: 'on',
      AWS_ACCESS_KEY_ID: place.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: place.credentials.secretAccessKey,
    }
    const client = new S3Client({ endpoint: place.endpoint, region: 'us-east-1', forcePathStyle: true, credentials: place.credentials })
    return { settings, client, name: place.bucket, endpoint: place.endpoint }
  }
  /** The service runs in this process, and the SDK takes credentials from its environment. */
  const withCredentials = async <T>(
    { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' }: Settings,
    work: () => Promise<T>,
  ): Promise<T> => {
    Object.assign(process.env, { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY })
    try {
      return await work()
    } finally {
      delete process.env.AWS_ACCESS_KEY_ID
      delete process.env.AWS_SECRET_ACCESS_KEY
    }
  }
  const own = ({ AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ...rest }: Settings) => rest

  test('an import takes the files of a bucket, and an export fills another', async () => {
    const objects = peerObjects()
    const from = await bucket()
    await fill(objects, async (object) => {
      await from.client.send(
        new PutObjectCommand({ Bucket: from.name, Key: peerPath(object), Body: object.content, ContentType: object.mediaType }),
      )
    })
    const imported = await run(['import', '--from', source.url, '--bucket', from.name], from.settings)
    expect([imported.code, imported.report.objects]).toEqual([0, { imported: 18, present: 0, failed: 0 }])
    await expectServed(await serve(), objects)
    const to = await bucket()
    const out = join(folder, 'out')
    const exported = await run(['export', '--bucket', to.name, '--out', out], to.settings)
    expect([exported.code, exported.report]).toMatchObject([0, { exported: 18, failed: 0 }])
    expect((await run(['export', '--bucket', to.name, '--out', out], to.settings)).report).toMatchObject({ exported: 0, present: 18 })
  }, 180_000)

  test('the bytes move to S3 while the service runs: nothing is lost, whatever happens meanwhile', async () => {
    const { settings } = await bucket()
    await withCredentials(settings, async () => {
      let service = await serve()
      const auth = { authorization: `Bearer ${service.serviceKey}`, 'content-type': 'application/json' }
      const ok = async (answer: Promise<Response>) => expect((await answer).status).toBe(200)
      await ok(fetch(`${service.baseUrl}/storage/v1/bucket`, { method: 'POST', headers: auth, body: '{"id":"b","name":"b"}' }))
      const upload = (at: Service, name: string, body: string) =>
        ok(fetch(`${at.baseUrl}/storage/v1/object/b/${name}`, { method: 'PUT', headers: { ...auth, 'content-type': 'text/plain' }, body }))
      for (let i = 0; i < 60; i++) await upload(service, `old-${i}`, `old ${i}`)

      // not yet: the bucket would be taken for an empty store
      await stop()
      await expect(createService(settingsOf({ ...own(settings), STOWAGE_STORE: 's3' }))).rejects.toThrow(/has no mark/)

      const both = { ...own(settings), STOWAGE_STORE: 's3', STOWAGE_STORE_ALSO: 'fs' }
      service = await serve(both)
      const text = async (at: Service, name: string) => (await get(at, { bucket: 'b', name })).text()
      expect(await text(service, 'old-7')).toBe('old 7')
      const copy = start(['bytes', 'copy', '--from', 'fs', '--to', 's3', '--jobs', '2'], settings)
      for (let i = 0; i < 20; i++) {
        await upload(service, `new-${i}`, `new ${i}`)
        await upload(service, `old-${i}`, `replaced ${i}`)
      }
      const moved = await copy.ended
      expect([moved.code, moved.report.complete]).toEqual([0, true])
      expect(moved.err).toMatch(/copying: \[/)
      const again = await run(['bytes', 'copy', '--from', 'fs', '--to', 's3', '--verify'], settings)
      expect(again.report).toMatchObject({ copied: 0, failed: 0, complete: true, present: 80 })

      await stop()
      await rm(join(data, 'bytes'), { recursive: true })
      service = await serve({ ...own(settings), STOWAGE_STORE: 's3' })
      for (let i = 0; i < 60; i++) expect(await text(service, `old-${i}`)).toBe(i < 20 ? `replaced ${i}` : `old ${i}`)
      for (let i = 0; i < 20; i++) expect(await text(service, `new-${i}`)).toBe(`new ${i}`)
      await stop()

      const back = await run(['bytes', 'copy', '--from', 's3', '--to', 'fs'], settings)
      expect(back.report).toMatchObject({ copied: 80, complete: true })
      service = await serve()
      expect(await text(service, 'old-3')).toBe('replaced 3')
    })
  }, 180_000)

  test('a store that is away is told on start, in one sentence', async () => {
    const { settings } = await bucket()
    const wrong = await run([], { ...settings, STOWAGE_STORE: 's3', STOWAGE_S3_BUCKET: 'nobody-s-bucket' })
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringMatching(/The bucket nobody-s-bucket cannot be read: .*NoSuchBucket/)])
    const refused = await run([], { ...settings, STOWAGE_STORE: 's3', AWS_SECRET_ACCESS_KEY: 'wrong' })
    expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/cannot be read: the byte store refused: SignatureDoesNotMatch/)])
  }, 180_000)
})
