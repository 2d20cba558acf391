import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SERVICE_KEY, type StorageService, startStorageService } from './storage-service.ts'

let service: StorageService
const auth = { authorization: `Bearer ${SERVICE_KEY}` }
const ORIGIN = 'https://app.example'

beforeAll(async () => {
  service = await startStorageService('headers', { corsOrigins: [ORIGIN, 'https://other.example'] })
  await fetch(`${service.url}/bucket`, {
    method: 'POST',
    headers: { ...auth, 'content-type': 'application/json' },
    body: '{"name":"open","public":true}',
  })
})
afterAll(() => service.close())

const put = (key: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/object/open/${key}`, { method: 'PUT', headers: { ...auth, 'content-type': 'text/plain', ...headers }, body })
const ask = (path: string, init: RequestInit = {}) => fetch(service.url + path, init)

/** What two answers may differ in. */
const OF_ITS_TIME = ['date', 'x-request-id', 'connection', 'keep-alive', 'expires']
const headersOf = ({ headers }: Response) => Object.fromEntries([...headers].filter(([name]) => !OF_ITS_TIME.includes(name)))

async function signed(key: string): Promise<string> {
  const answer = await ask(`/object/sign/open/${key}`, {
    method: 'POST',
    headers: { ...auth, 'content-type': 'application/json' },
    body: '{"expiresIn":60}',
  })
  return ((await answer.json()) as { signedURL: string }).signedURL
}

describe('GET and HEAD', () => {
  it('say the same, whatever is asked for', async () => {
    await put('h.svg', '<svg/>', { 'content-type': 'image/svg+xml', 'cache-control': 'max-age=60', 'x-robots-tag': 'noindex' })
    const etag = (await ask('/object/public/open/h.svg')).headers.get('etag') ?? ''
    const token = await signed('h.svg')
    for (const path of ['/object/public/open/h.svg', '/object/authenticated/open/h.svg', '/object/open/h.svg', token]) {
      for (const query of ['', 'download', 'download=', 'download=a%20(b)%27.txt', 'width=10']) {
        const address = query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`
        for (const headers of [
          {},
          { origin: ORIGIN },
          { 'if-none-match': etag },
          { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' },
          { 'if-match': '"x"' },
          { 'if-match': etag },
        ] as Record<string, string>[]) {
          const [get, head] = await Promise.all(['GET', 'HEAD'].map((method) => ask(address, { method, headers: { ...auth, ...headers } })))
          expect([address, headers, head?.status, head && headersOf(head)]).toEqual([address, headers, get?.status, get && headersOf(get)])
          expect(await head?.text()).toBe('')
        }
      }
    }
  })
})

describe('304', () => {
  it('says what a cache has to know, and no length', async () => {
    await put('n', 'text', { 'cache-control': 'max-age=60' })
    for (const path of ['/object/public/open/n', '/object/authenticated/open/n', await signed('n')]) {
      const whole = await ask(path, { headers: auth })
      const answer = await ask(path, { headers: { ...auth, 'if-none-match': whole.headers.get('etag') ?? '' } })
      expect([answer.status, await answer.text()]).toEqual([304, ''])
      for (const name of [
        'etag',
        'cache-control',
        'last-modified',
        'expires',
        'vary',
        'content-disposition',
        'cross-origin-resource-policy',
      ])
        expect([name, answer.headers.get(name)]).toEqual([name, whole.headers.get(name)])
      for (const name of ['content-length', 'transfer-encoding', 'content-range'])
        expect([name, answer.headers.get(name)]).toEqual([name, null])
    }
  })
})

describe('Vary', () => {
  it.each<[string, string]>([
    ['/object/authenticated/open/v', 'Origin, Authorization'],
    ['/object/open/v', 'Origin, Authorization'],
    ['/object/public/open/v', 'Origin'],
    ['/object/info/open/v', 'Origin, Authorization'],
    ['/object/info/authenticated/open/v', 'Origin, Authorization'],
    ['/object/info/public/open/v', 'Origin'],
  ])('of %s: %s', async (path, vary) => {
    await put('v', 'text')
    for (const origin of [ORIGIN, 'https://other.example', 'https://foreign.example']) {
      const { headers } = await ask(path, { headers: { ...auth, origin } })
      expect(headers.get('vary')).toBe(vary)
      expect(headers.get('access-control-allow-origin')).toBe(origin.includes('foreign') ? null : origin)
    }
  })
})

describe('Cache-Control of an uploader', () => {
  it.each<[string, string]>([
    ['max-age=60', 'max-age=60'],
    ['public, max-age=60', 'private, max-age=60'],
    ['Public,s-maxage=600,max-age=60', 'private, max-age=60'],
    ['max-age=60, must-revalidate', 'private, max-age=60, must-revalidate'],
    ['private, proxy-revalidate', 'private'],
    ['no-store', 'no-store'],
    ['public-ish', 'public-ish'],
  ])('%s is %s for a caller with a token', async (stored, shown) => {
    await put('c', 'text', { 'cache-control': stored })
    for (const [path, expected] of [
      ['/object/public/open/c', stored],
      ['/object/authenticated/open/c', shown],
      ['/object/open/c', shown],
    ] as const)
      expect([path, (await ask(path, { headers: auth })).headers.get('cache-control')]).toEqual([path, expected])
  })
})

describe('download', () => {
  it.each<[string, string]>([
    ['download', 'attachment;'],
    ['download=a.txt', "attachment; filename=a.txt; filename*=UTF-8''a.txt"],
    ['download=a+b.txt', "attachment; filename=a%20b.txt; filename*=UTF-8''a%20b.txt"],
    ['download=%22%3B%20x=%22', "attachment; filename=%22%3B%20x%3D%22; filename*=UTF-8''%22%3B%20x%3D%22"],
    ["download=it's%20(1)*.txt", "attachment; filename=it%27s%20%281%29%2A.txt; filename*=UTF-8''it%27s%20%281%29%2A.txt"],
    ['download=%0d%0aSet-Cookie:%20a=b', "attachment; filename=%0D%0ASet-Cookie%3A%20a%3Db; filename*=UTF-8''%0D%0ASet-Cookie%3A%20a%3Db"],
    ['download=%E2%80%AEgpj.exe', "attachment; filename=%E2%80%AEgpj.exe; filename*=UTF-8''%E2%80%AEgpj.exe"],
    ['download=../../etc/passwd', "attachment; filename=..%2F..%2Fetc%2Fpasswd; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd"],
    ['download=%00', "attachment; filename=%00; filename*=UTF-8''%00"],
    ['download=%ff', "attachment; filename=%25ff; filename*=UTF-8''%25ff"],
    ['download=__proto__', "attachment; filename=__proto__; filename*=UTF-8''__proto__"],
    ['Download=a', ''],
    ['download[]=a', ''],
  ])('%s', async (query, disposition) => {
    await put('d', 'text')
    const answer = await ask(`/object/public/open/d?${query}`)
    expect([answer.status, answer.headers.get('content-disposition') ?? '']).toEqual([200, disposition])
    expect(await answer.text()).toBe('text')
  })
  it('given twice is refused', async () => {
    await put('d', 'text')
    for (const method of ['GET', 'HEAD']) expect((await ask('/object/public/open/d?download=a&download=b', { method })).status).toBe(400)
  })
})

describe('types that say more than one thing', () => {
  it.each([
    'image/png, text/html',
    'image/png;a=b, application/xhtml+xml',
    'image/png;a="b", image/svg+xml',
    'text/plain,text/xml',
    'application/json;x,application/xml',
    ' application/xhtml+xml ',
    'application/xhtml+xml;charset=utf-7',
    'text/plain/html',
    'image/png+xml',
    ',',
    ';',
    '*/*',
  ])('%j is shut in', async (type) => {
    await put('t', '<html/>')
    const owner = await service.database.connect()
    // whatever an upload would have refused
    await owner.query(`update storage.objects set metadata = metadata || jsonb_build_object('mimetype', $1::text) where name = 't'`, [type])
    const { headers } = await ask('/object/public/open/t')
    expect([headers.get('content-security-policy'), headers.get('x-content-type-options')]).toEqual([
      expect.stringMatching(/^sandbox; default-src 'none';/),
      'nosniff',
    ])
    expect(headers.get('content-type')).not.toMatch(/text\/html/i)
  })
})

it('a part by the date alone is served of an object that was never replaced, else the whole', async () => {
  const part = async (date: string) =>
    (await ask('/object/public/open/dated', { headers: { range: 'bytes=0-0', 'if-range': date } })).status
  const dateOf = async () => (await ask('/object/public/open/dated')).headers.get('last-modified') ?? ''
  await put('dated', 'one')
  expect(await part(await dateOf())).toBe(206)
  await put('dated', 'two')
  expect(await part(await dateOf())).toBe(200)
})

it('a part, asked for with If-Range while the object is overwritten, is never of another version than its ETag says', async () => {
  const body = (n: number) => String(n % 10).repeat(50_000)
  await put('r', body(0))
  let isOver = false
  const writing = (async () => {
    for (let n = 1; !isOver; n++) expect((await put('r', body(n))).status).toBe(200)
  })()
  let parts = 0
  let wholes = 0
  while (parts + wholes < 100) {
    const first = await ask('/object/public/open/r', { headers: { range: 'bytes=0-24999' } })
    const etag = first.headers.get('etag') ?? ''
    const begin = await first.text()
    const second = await ask('/object/public/open/r', { headers: { range: 'bytes=25000-', 'if-range': etag } })
    const rest = await second.text()
    if (second.status === 206) {
      parts++
      expect([second.headers.get('etag'), second.headers.get('content-range')]).toEqual([etag, 'bytes 25000-49999/50000'])
      expect(new Set(begin + rest).size).toBe(1)
    } else {
      wholes++
      expect([second.status, rest.length, new Set(rest).size]).toEqual([200, 50_000, 1])
    }
  }
  isOver = true
  await writing
}, 60_000)
