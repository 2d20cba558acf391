import { createHash } from 'node:crypto'
import http from 'node:http'
import net from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ANON_KEY, SERVICE_KEY, type StorageService, startStorageService } from './storage-service.ts'

let service: StorageService
beforeAll(async () => {
  service = await startStorageService('uploads', { maxConnections: 10 })
})
afterAll(() => service.close())

const auth = { authorization: `Bearer ${SERVICE_KEY}` }
const json = { ...auth, 'content-type': 'application/json' }
let bucket = ''
let made = 0

beforeEach(async () => {
  bucket = `b${++made}`
  await makeBucket({})
})

const makeBucket = (limits: object) =>
  fetch(`${service.url}/bucket`, { method: 'POST', headers: json, body: JSON.stringify({ name: bucket, ...limits }) })

const setBucket = (limits: object) =>
  fetch(`${service.url}/bucket/${bucket}`, { method: 'PUT', headers: json, body: JSON.stringify(limits) })

const put = (key: string, body: string, headers: Record<string, string> = {}, method = 'POST') =>
  fetch(`${service.url}/object/${bucket}/${key}`, { method, body, headers: { ...auth, 'content-type': 'text/plain', ...headers } })

const get = (key: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/object/${bucket}/${key}`, { headers: { ...auth, ...headers } })

/** Stored versions that neither a row, the outbox nor a reservation answers for. */
async function leftovers(): Promise<readonly string[]> {
  await service.settled()
  const client = await service.database.connect()
  const { rows } = await client.query('select version::text from stowage.versions union select version::text from stowage.outbox')
  const known = new Set(rows.map(({ version }) => version))
  const { rows: reserved } = await client.query('select version::text from stowage.intents')
  const stored = await service.bytes.list(null, 100_000)
  return [...stored.filter((version) => !known.has(version)), ...reserved.map(({ version }) => `reserved ${version}`)]
}

describe('exclusive creation', () => {
  it('lets one of 50 parallel creates win, and its bytes are the ones that are read', async () => {
    const bodies = Array.from({ length: 50 }, (_, i) => `writer ${i} `.repeat(100))
    const answers = await Promise.all(bodies.map((body) => put('key', body)))
    const won = answers.flatMap((answer, i) => (answer.status === 200 ? [i] : []))
    expect(won).toHaveLength(1)
    for (const [i, answer] of answers.entries()) {
      if (i !== won[0]) expect(await answer.json()).toMatchObject({ statusCode: '409', error: 'Duplicate', code: 'KeyAlreadyExists' })
    }
    expect(await (await get('key')).text()).toBe(bodies[won[0] ?? -1])
    expect(await leftovers()).toEqual([])
  })

  it('lets all of 50 parallel upserts in, keeps one of them whole, and never goes back in time', async () => {
    await put('key', 'first')
    const bodies = Array.from({ length: 50 }, (_, i) => `writer ${i} `.repeat(100))
    const times: string[] = []
    const watching = (async () => {
      const client = await service.database.connect()
      while (times.length < 40) {
        const { rows } = await client.query('select updated_at::text as at from storage.objects where bucket_id = $1', [bucket])
        times.push(rows[0].at)
      }
    })()
    const answers = await Promise.all(bodies.map((body) => put('key', body, { 'x-upsert': 'true' })))
    await watching
    expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200))
    expect(bodies).toContain(await (await get('key')).text())
    expect(times).toEqual([...times].sort())
    expect(await leftovers()).toEqual([])
  })

  it('holds for addresses to upload to: of 20 uses of one at once, one', async () => {
    const signed = await fetch(`${service.url}/object/upload/sign/${bucket}/key`, { method: 'POST', headers: auth })
    const { url } = (await signed.json()) as { url: string }
    const uses = await Promise.all(Array.from({ length: 20 }, (_, i) => fetch(service.url + url, { method: 'PUT', body: `use ${i}` })))
    expect(uses.filter(({ status }) => status === 200)).toHaveLength(1)
  })
})

describe('conditions', () => {
  it('If-None-Match: * replaces nothing', async () => {
    expect((await put('key', 'one', { 'if-none-match': '*' }, 'PUT')).status).toBe(200)
    const second = await put('key', 'two', { 'if-none-match': '*' }, 'PUT')
    expect([second.status, ((await second.json()) as { code: string }).code]).toEqual([412, 'PreconditionFailed'])
    expect(await (await get('key')).text()).toBe('one')
  })
  it('If-Match replaces what it names, once', async () => {
    await put('key', 'one')
    const etag = (await get('key')).headers.get('etag') ?? ''
    const race = await Promise.all(['two', 'three', 'four'].map((body) => put('key', body, { 'if-match': etag }, 'PUT')))
    expect(race.map(({ status }) => status).sort()).toEqual([200, 412, 412])
    expect((await put('none', 'x', { 'if-match': etag }, 'PUT')).status).toBe(412)
    expect(await leftovers()).toEqual([])
  })
})

describe('limits', () => {
  it('counts a body that does not tell its length: refused at the first byte too many, and nothing is left', async () => {
    await setBucket({ file_size_limit: 1000 })
    for (const [size, status] of [
      [1000, 200],
      [1001, 400],
      [3_000_000, 400],
    ] as const) {
      const answer = await chunked(`k${size}`, size)
      expect([size, answer.status]).toEqual([size, status])
      if (status === 400) expect(JSON.parse(answer.body)).toMatchObject({ statusCode: '413', error: 'Payload too large' })
    }
    expect(await leftovers()).toEqual([])
  })

  it('refuses by Content-Length before it reads, and closes the connection', async () => {
    await setBucket({ file_size_limit: 1000 })
    const { text, sent } = await flood(`POST /object/${bucket}/key HTTP/1.1`, { 'content-length': String(50_000_000) })
    expect(text).toContain('HTTP/1.1 400')
    expect(text.toLowerCase()).toContain('connection: close')
    expect(text).toContain('"statusCode":"413"')
    // what the sockets and the client's own buffers swallow
    expect(sent).toBeLessThan(20_000_000)
    expect(await leftovers()).toEqual([])
  })

  it('holds for forms', async () => {
    await setBucket({ file_size_limit: 10 })
    const form = new FormData()
    form.append('', new Blob(['0123456789X']), 'f')
    const answer = await fetch(`${service.url}/object/${bucket}/form`, { method: 'POST', headers: auth, body: form })
    expect(await answer.json()).toMatchObject({ statusCode: '413' })
    expect(await leftovers()).toEqual([])
  })

  it('checks Content-MD5', async () => {
    const md5 = createHash('md5').update('right').digest('base64')
    expect((await put('good', 'right', { 'content-md5': md5 })).status).toBe(200)
    expect(await (await put('bad', 'wrong', { 'content-md5': md5 })).json()).toMatchObject({ statusCode: '400', code: 'BadDigest' })
    expect(await (await put('none', 'x', { 'content-md5': 'nonsense' })).json()).toMatchObject({ statusCode: '400' })
    expect((await get('bad')).status).toBe(400)
    expect(await leftovers()).toEqual([])
  })

  it('takes user metadata of a mebibyte and no more', async () => {
    const upload = (characters: number) => {
      const form = new FormData()
      form.append('metadata', JSON.stringify({ a: 'x'.repeat(characters) }))
      form.append('', new Blob(['f']), 'f')
      return fetch(`${service.url}/object/${bucket}/m${characters}`, { method: 'POST', headers: auth, body: form })
    }
    expect((await upload(2 ** 20 - 8)).status).toBe(200)
    expect(await (await upload(2 ** 20 - 7)).json()).toMatchObject({
      statusCode: '413',
      message: 'The user_metadata exceeded the maximum allowed size',
    })
  })
})

describe('senders that go away', () => {
  it.each([0.1, 0.5, 0.99])('leave nothing behind at %d of the body', async (share) => {
    const size = 4_000_000
    await new Promise<void>((resolve) => {
      const request = http.request(`${service.url}/object/${bucket}/gone`, { method: 'POST', headers: { ...auth, 'content-length': size } })
      request.on('error', () => resolve())
      request.write(Buffer.alloc(size * share), () => setTimeout(() => request.destroy(), 50))
    })
    await expect.poll(leftovers).toEqual([])
    expect((await get('gone')).status).toBe(400)
  })

  it('leave nothing behind in the middle of a form', async () => {
    await new Promise<void>((resolve) => {
      const headers = { ...auth, 'content-type': 'multipart/form-data; boundary=b', 'transfer-encoding': 'chunked' }
      const request = http.request(`${service.url}/object/${bucket}/gone`, { method: 'POST', headers })
      request.on('error', () => resolve())
      request.write('--b\r\ncontent-disposition: form-data; name=""; filename="f"\r\n\r\n')
      request.write(Buffer.alloc(1_000_000), () => setTimeout(() => request.destroy(), 50))
    })
    await expect.poll(leftovers).toEqual([])
  })
})

describe('broken forms', () => {
  const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\ntext\r\n'
  it.each<[string, string, string]>([
    ['no boundary', 'multipart/form-data', part],
    ['another boundary', 'multipart/form-data; boundary=c', `${part}--b--\r\n`],
    ['a boundary of 200 characters', `multipart/form-data; boundary=${'x'.repeat(200)}`, part],
    ['a quoted boundary with a line break', 'multipart/form-data; boundary="a b"', part],
    ['no end', 'multipart/form-data; boundary=b', part],
    ['nothing', 'multipart/form-data; boundary=b', ''],
    ['half a part header', 'multipart/form-data; boundary=b', '--b\r\ncontent-disposition: form-data; na'],
    ['a part header of 100 KB', 'multipart/form-data; boundary=b', `--b\r\n${'x'.repeat(100_000)}\r\n\r\ntext\r\n--b--\r\n`],
    ['2,000 part headers', 'multipart/form-data; boundary=b', `--b\r\n${'x: y\r\n'.repeat(2000)}\r\ntext\r\n--b--\r\n`],
    ['5,000 empty parts', 'multipart/form-data; boundary=b', `${'--b\r\n\r\n\r\n'.repeat(5000)}--b--\r\n`],
    [
      '1,000 fields',
      'multipart/form-data; boundary=b',
      `${Array.from({ length: 1000 }, (_, i) => `--b\r\ncontent-disposition: form-data; name="f${i}"\r\n\r\nv\r\n`).join('')}${part}--b--\r\n`,
    ],
    [
      'a name of a megabyte',
      'multipart/form-data; boundary=b',
      `--b\r\ncontent-disposition: form-data; name="${'n'.repeat(1e6)}"; filename="a"\r\n\r\ntext\r\n--b--\r\n`,
    ],
    [
      'cacheControl with a line break',
      'multipart/form-data; boundary=b',
      `--b\r\ncontent-disposition: form-data; name="cacheControl"\r\n\r\n3600\r\nX: y\r\n${part}--b--\r\n`,
    ],
    [
      'cacheControl of a megabyte',
      'multipart/form-data; boundary=b',
      `--b\r\ncontent-disposition: form-data; name="cacheControl"\r\n\r\n${'1'.repeat(1e6)}\r\n${part}--b--\r\n`,
    ],
    [
      'contentType with a line break',
      'multipart/form-data; boundary=b',
      `--b\r\ncontent-disposition: form-data; name="contentType"\r\n\r\na/b\r\nX: y\r\n${part}--b--\r\n`,
    ],
  ])('%s: a clear 400, and nothing is left', async (_, type, body) => {
    const answer = await fetch(`${service.url}/object/${bucket}/form`, { method: 'POST', headers: { ...auth, 'content-type': type }, body })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ statusCode: expect.stringMatching(/^4/), message: expect.any(String) })
    expect(await leftovers()).toEqual([])
  })

  it.each(['__proto__', 'constructor', 'prototype', 'toString'])('a field named %s is passed over', async (name) => {
    const form = new FormData()
    form.append(name, 'x')
    form.append('', new Blob(['f']), 'f')
    expect((await fetch(`${service.url}/object/${bucket}/f`, { method: 'POST', headers: auth, body: form })).status).toBe(200)
  })

  it('takes the bytes as they are, whatever a part says of their encoding', async () => {
    const body =
      '--b\r\ncontent-disposition: form-data; name=""; filename="a"\r\ncontent-transfer-encoding: base64\r\n\r\naGk=\r\n--b--\r\n'
    const answer = await put('b64', body, { 'content-type': 'multipart/form-data; boundary=b' })
    expect(answer.status).toBe(200)
    expect(await (await get('b64')).text()).toBe('aGk=')
  })
})

describe('metadata that others have written', () => {
  it.each(['null', `'{}'`, `'{"size": 3, "mimetype": "text/css"}'`, `metadata || '{"size": "many"}'`])(
    'takes no byte away: %s',
    async (metadata) => {
      const client = await service.database.connect()
      await put('key', 'six by')
      await put('large', 'x'.repeat(300_000))
      await client.query(`update storage.objects set metadata = ${metadata} where bucket_id = '${bucket}'`)
      const answer = await get('key')
      expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, '6', 'six by'])
      expect(await (await get('key', { range: 'bytes=2-' })).text()).toBe('x by')
      expect((await (await get('large')).arrayBuffer()).byteLength).toBe(300_000)
      const head = await fetch(`${service.url}/object/${bucket}/large`, { method: 'HEAD', headers: auth })
      expect([head.status, head.headers.get('content-length')]).toEqual([200, '300000'])
      const copied = await fetch(`${service.url}/object/copy`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ bucketId: bucket, sourceKey: 'key', destinationKey: 'copy' }),
      })
      expect(copied.status).toBe(200)
      expect(await (await get('copy')).text()).toBe('six by')
    },
  )

  it('by a trigger, too', async () => {
    const client = await service.database.connect()
    await client.query(`create function public.mark() returns trigger language plpgsql as $$ begin new.metadata := '{"by": "x"}'; return new; end $$;
      create trigger mark before insert or update on storage.objects for each row when (new.bucket_id = '${bucket}') execute function public.mark()`)
    expect((await put('key', 'text')).status).toBe(200)
    expect(await (await get('key')).text()).toBe('text')
    expect((await put('key', 'other', { 'x-upsert': 'true' })).status).toBe(200)
    expect(await (await get('key')).text()).toBe('other')
    await client.query('drop function public.mark cascade')
  })

  it('nor does who writes a version and not its length', async () => {
    const client = await service.database.connect()
    await put('short', 'four')
    await put('long', 'longer')
    await client.query(`update storage.objects o set version = l.version, crc32 = l.crc32, metadata = l.metadata
      from storage.objects l where o.bucket_id = '${bucket}' and o.name = 'short' and l.bucket_id = '${bucket}' and l.name = 'long'`)
    expect(await (await get('short')).text()).toBe('longer')
  })

  it('is told as written where a trigger gave it another name', async () => {
    const client = await service.database.connect()
    await client.query(`create function public.lower_name() returns trigger language plpgsql as $$ begin new.name := lower(new.name); return new; end $$;
      create trigger lower_name before insert on storage.objects for each row when (new.bucket_id = '${bucket}') execute function public.lower_name()`)
    expect((await put('KEY', 'text')).status).toBe(200)
    expect((await put('KEY', 'other', { 'x-upsert': 'true' })).status).toBe(200)
    expect(await (await get('key')).text()).toBe('other')
    await client.query('drop function public.lower_name cascade')
    expect(await leftovers()).toEqual([])
  })
})

describe('what tables of the owner refer to', () => {
  it('stays, and the refusal says so', async () => {
    const client = await service.database.connect()
    await put('key', 'text')
    await client.query(`create table public.doc (file uuid references storage.objects (id), bucket text references storage.buckets (id));
      insert into public.doc select id from storage.objects where bucket_id = '${bucket}'`)
    const refused = { statusCode: '409', code: 'ResourceReferenced', message: expect.stringContaining('table "doc"') }
    const remove = (path: string, body?: unknown) =>
      fetch(`${service.url}/${path}`, { method: 'DELETE', headers: body ? json : auth, ...(body ? { body: JSON.stringify(body) } : {}) })
    expect(await (await remove(`object/${bucket}/key`)).json()).toMatchObject(refused)
    expect(await (await remove(`object/${bucket}`, { prefixes: ['key'] })).json()).toMatchObject(refused)
    expect(await (await get('key')).text()).toBe('text')
    await client.query(`update public.doc set file = null, bucket = '${bucket}'`)
    expect((await remove(`object/${bucket}/key`)).status).toBe(200)
    expect(await (await remove(`bucket/${bucket}`)).json()).toMatchObject(refused)
    await client.query('drop table public.doc')
    expect((await remove(`bucket/${bucket}`)).status).toBe(200)
  })
})

describe('fields of a form behind its file', () => {
  const withFields = (key: string, bytes: number, fields: Readonly<Record<string, string>>, authorization = auth.authorization) => {
    const form = new FormData()
    form.append('file', new Blob([Buffer.alloc(bytes, 'f')], { type: 'application/octet-stream' }), 'f')
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    return fetch(`${service.url}/object/${bucket}/${key}`, { method: 'POST', headers: { authorization }, body: form })
  }
  const SIZES = [0, 11, 29_000, 64_000]

  it.each(SIZES)('count where row security looks at them (%d bytes)', async (size) => {
    const client = await service.database.connect()
    await client.query(`create policy "engineers ${bucket}" on storage.objects for insert to anon
      with check (bucket_id = '${bucket}' and user_metadata ->> 'department' = 'engineering')`)
    const uploaded = (key: string, department: string) =>
      withFields(key, size, { cacheControl: '3600', metadata: JSON.stringify({ department }) }, `Bearer ${ANON_KEY}`)
    expect(await (await uploaded('sales', 'sales')).json()).toMatchObject({ statusCode: '403', code: 'AccessDenied' })
    expect((await uploaded('engineering', 'engineering')).status).toBe(200)
    expect((await get('engineering')).headers.get('cache-control')).toBe('max-age=3600')
    await client.query(`drop policy "engineers ${bucket}" on storage.objects`)
    expect(await leftovers()).toEqual([])
  })

  it.each(SIZES)('count where a bucket takes some types only (%d bytes)', async (size) => {
    await setBucket({ allowed_mime_types: ['image/png'] })
    expect(await (await withFields('plain', size, {})).json()).toMatchObject({ statusCode: '415' })
    expect((await withFields('png', size, { contentType: 'image/png' })).status).toBe(200)
    expect((await get('png')).headers.get('content-type')).toBe('image/png')
    expect(await leftovers()).toEqual([])
  })

  it('count in whatever pieces the form comes', async () => {
    const form =
      '--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\ntext\r\n--b\r\ncontent-disposition: form-data; name="contentType"\r\n\r\ntext/css\r\n--b--\r\n'
    await setBucket({ allowed_mime_types: ['text/css'] })
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = http.request(`${service.url}/object/${bucket}/css`, {
        method: 'POST',
        headers: { ...auth, 'content-type': 'multipart/form-data; boundary=b' },
      })
      request.on('error', reject)
      request.on('response', (answer) => answer.resume().on('end', () => resolve(answer.statusCode)))
      const send = (at: number) => {
        if (at >= form.length) request.end()
        else request.write(form.slice(at, at + 7), () => setTimeout(send, 1, at + 7))
      }
      send(0)
    })
    expect(status).toBe(200)
  })

  it('are not waited for without end', async () => {
    await setBucket({ allowed_mime_types: ['image/png'] })
    const start = '--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\ncontent-type: text/css\r\n\r\ntext\r\n'
    const second = '--b\r\ncontent-disposition: form-data; name="x"; filename="y"\r\n\r\n'
    const headers = { 'content-type': 'multipart/form-data; boundary=b', 'content-length': String(500_000_000) }
    for (const how of [{ start: start + second }, { start: start + second, goesOn: false }, { start, goesOn: false }]) {
      const { text, sent } = await flood(`POST /object/${bucket}/endless HTTP/1.1`, headers, how)
      expect(text).toContain('"statusCode":"415"')
      // what the sockets and the client's own buffers swallow
      expect(sent).toBeLessThan(20_000_000)
    }
    expect(await leftovers()).toEqual([])
  })

  it('do not stop behind a file that is passed over, in whatever pieces it comes', async () => {
    for (const size of [65_536, 66_000, 75_000]) {
      const form = new FormData()
      form.append('', new Blob(['first']), 'f')
      form.append('', new Blob([Buffer.alloc(size)]), 'g')
      const answer = await fetch(`${service.url}/object/${bucket}/two${size}`, { method: 'POST', headers: auth, body: form })
      expect(answer.status).toBe(200)
    }
    expect(await (await get('two66000')).text()).toBe('first')
  })

  it('of a large file come too late for what was refused at its beginning', async () => {
    await setBucket({ allowed_mime_types: ['image/png'] })
    expect(await (await withFields('large', 1_000_000, { contentType: 'image/png' })).json()).toMatchObject({ statusCode: '415' })
    expect(await leftovers()).toEqual([])
  })
})

describe('odd forms that are forms', () => {
  const file = (text: string, headers = '', name = 'name="file"; filename="a"') =>
    `--b\r\ncontent-disposition: form-data; ${name}\r\n${headers}\r\n${text}\r\n`
  it.each<[string, string, string, string, string]>([
    ['a preamble and an epilogue', 'multipart/form-data; boundary=b', `before\r\n${file('text')}--b--\r\nbehind`, 'text', 'text/plain'],
    ['capitals', 'MULTIPART/FORM-DATA; BOUNDARY=b', `${file('text')}--b--\r\n`, 'text', 'text/plain'],
    [
      'a quoted boundary, another parameter',
      'multipart/form-data; charset=utf-8; boundary="b"',
      `${file('text')}--b--\r\n`,
      'text',
      'text/plain',
    ],
    ['an empty file', 'multipart/form-data; boundary=b', `${file('')}--b--\r\n`, '', 'text/plain'],
    ['two files: the first counts', 'multipart/form-data; boundary=b', `${file('one')}${file('two')}--b--\r\n`, 'one', 'text/plain'],
    [
      'what looks like a boundary inside',
      'multipart/form-data; boundary=b',
      `${file('-- b inside\r\n---b\r\n--c--')}--b--\r\n`,
      '-- b inside\r\n---b\r\n--c--',
      'text/plain',
    ],
    ['a type of the part', 'multipart/form-data; boundary=b', `${file('text', 'content-type: text/x-y\r\n')}--b--\r\n`, 'text', 'text/x-y'],
    [
      'a name of RFC 5987',
      'multipart/form-data; boundary=b',
      `${file('text', '', "name=file; filename*=UTF-8''%E2%82%AC.txt")}--b--\r\n`,
      'text',
      'text/plain',
    ],
    [
      'a path as its name',
      'multipart/form-data; boundary=b',
      `${file('text', '', 'name="x"; filename="../../etc/passwd"')}--b--\r\n`,
      'text',
      'text/plain',
    ],
    [
      'form inside a form',
      'multipart/form-data; boundary=b',
      `${file('--c\r\n\r\nx\r\n--c--', 'content-type: multipart/mixed; boundary=c\r\n')}--b--\r\n`,
      '--c\r\n\r\nx\r\n--c--',
      'multipart/mixed',
    ],
  ])('%s', async (_, type, body, text, served) => {
    const answer = await put('odd', body, { 'content-type': type }, 'PUT')
    expect([answer.status, answer.status === 200 ? '' : await answer.text()]).toEqual([200, ''])
    const stored = await get('odd')
    expect([await stored.text(), stored.headers.get('content-type')]).toEqual([text, served])
    expect(await leftovers()).toEqual([])
  })
})

it('tells what is wrong with a key where it is told, in paths and in bodies', async () => {
  const raw = (path: string) => exchange(`GET ${path} HTTP/1.1`, {})
  for (const path of [`/object/${bucket}/%c0%ae`, `/object/${bucket}/%ff`, `/object/${bucket}/%zz`, `/object/${bucket}/a#b`]) {
    expect([path, (await raw(path)).slice(0, 12)]).toEqual([path, 'HTTP/1.1 400'])
  }
  for (const key of ['a%00b', '%5c..%5cb', 'C:%5cx', '%2e%2e%2fx', '..%2f..%2fx', 'k'.repeat(1025), 'k'.repeat(9000)]) {
    const answer = await put(key, 'x')
    expect([key, answer.status, ((await answer.json()) as { code: string }).code]).toEqual([key, 400, 'InvalidKey'])
  }
  const bodies: [string, string, object][] = [
    ['POST', '/object/move', { bucketId: bucket, sourceKey: 'a\0', destinationKey: 'b' }],
    ['POST', '/object/move', { bucketId: bucket, sourceKey: 'a', destinationKey: '../b' }],
    ['POST', '/object/copy', { bucketId: bucket, sourceKey: '\ud800', destinationKey: 'b' }],
    ['POST', '/object/copy', { bucketId: bucket, sourceKey: 'a', destinationKey: 'b', destinationBucket: 'x\0' }],
    ['DELETE', `/object/${bucket}`, { prefixes: ['a\0b'] }],
    ['POST', `/object/sign/${bucket}`, { expiresIn: 60, paths: ['a\0b'] }],
  ]
  for (const [method, path, body] of bodies) {
    const answer = await fetch(service.url + path, { method, headers: json, body: JSON.stringify(body) })
    expect([path, answer.status, ((await answer.json()) as { code: string }).code]).toEqual([path, 400, 'InvalidKey'])
  }
})

it('asks row security before it reads a byte', async () => {
  const { text, sent } = await flood(`POST /object/${bucket}/key HTTP/1.1`, {
    'content-length': String(40_000_000),
    authorization: `Bearer ${ANON_KEY}`,
  })
  expect(text).toContain('new row violates row-level security policy')
  expect(sent).toBeLessThan(20_000_000)
})

/** A chunked upload of so many bytes. */
function chunked(key: string, size: number): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      `${service.url}/object/${bucket}/${key}`,
      { method: 'POST', headers: { ...auth, 'transfer-encoding': 'chunked' } },
      (response) => {
        let body = ''
        response.on('data', (chunk) => {
          body += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
      },
    )
    request.on('error', reject)
    for (let left = size; left > 0; left -= 65_536) request.write(Buffer.alloc(Math.min(left, 65_536)))
    request.end()
  })
}

const head = (line: string, headers: Record<string, string>) =>
  [line, ...Object.entries({ host: 'x', ...auth, ...headers }).map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n')

/** One request as it is written, and all that comes back until the connection ends. */
function exchange(line: string, headers: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(new URL(service.url).port), '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
    socket.write(head(line, { connection: 'close', ...headers }))
  })
}

/** Sends `start`, then without end (or nothing) until it is answered; how much went out by then. */
function flood(line: string, headers: Record<string, string>, { start = '', goesOn = true } = {}): Promise<{ text: string; sent: number }> {
  return new Promise((resolve) => {
    const socket = net.connect(Number(new URL(service.url).port), '127.0.0.1')
    let text = ''
    let sent = 0
    const chunk = Buffer.alloc(65_536)
    const more = () => {
      while (!socket.destroyed) {
        sent += chunk.length
        if (!socket.write(chunk)) return
      }
    }
    socket.on('drain', more)
    socket.on('data', (data) => {
      text += data
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve({ text, sent: sent - socket.writableLength }))
    socket.write(head(line, headers) + start)
    if (goesOn) more()
  })
}
