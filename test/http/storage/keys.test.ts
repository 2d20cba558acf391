import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SERVICE_KEY, type StorageService, startStorageService } from './storage-service.ts'

let service: StorageService
const auth = { authorization: `Bearer ${SERVICE_KEY}` }
const json = { ...auth, 'content-type': 'application/json' }

beforeAll(async () => {
  service = await startStorageService('keys')
  for (const name of ['all', 'other']) await post('/bucket', { name, public: true })
})
afterAll(() => service.close())

const post = (path: string, body: object, method = 'POST') =>
  fetch(service.url + path, { method, headers: json, body: JSON.stringify(body) })
const escaped = (key: string) => key.split('/').map(encodeURIComponent).join('/')

/** The path as it is written here: fetch would tidy it. */
function raw(method: string, path: string, body = '', headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.url)
    const sent = httpRequest(
      { hostname, port, method, path, headers: { ...auth, ...headers, 'content-length': body.length } },
      (answer) => {
        let text = ''
        answer.on('data', (chunk) => {
          text += chunk
        })
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Characters that keys may have beside letters and digits. */
const ALLOWED = "_!.*'() &$=@;:+,?-"

describe('a key goes through every endpoint and stays itself', () => {
  it.each([
    ...[...ALLOWED].map((character) => `a${character}b`),
    `${ALLOWED}/${ALLOWED}`,
    ' both ends ',
    'a//b',
    '/leading',
    'trailing/',
    '///',
    '...',
    '.hidden/..a/a..',
    'sign/x',
    'public/x/y',
    'authenticated/x',
    'info/x',
    'list/x',
    'upload/sign/x',
    'a?download=b',
    'a&token=b',
    'a;b=c/d',
    '-r',
    '_',
    'index.html',
    'x.emptyFolderPlaceholder.txt',
    'toString',
    '__proto__',
    'k'.repeat(1024),
  ])('%j', async (key) => {
    const path = escaped(key)
    const text = `text of ${key}`
    const uploaded = await raw('POST', `/object/all/${path}`, text, { 'content-type': 'text/plain' })
    expect([uploaded.status, JSON.parse(uploaded.text).Key]).toEqual([200, `all/${key}`])
    expect((await raw('POST', `/object/all/${path}`, text, { 'content-type': 'text/plain' })).status).toBe(400)
    expect((await raw('PUT', `/object/all/${path}`, text, { 'content-type': 'text/plain' })).status).toBe(200)

    for (const route of ['/object', '/object/public', '/object/authenticated'])
      expect(await raw('GET', `${route}/all/${path}`)).toEqual({ status: 200, text })
    for (const route of ['/object/info', '/object/info/public', '/object/info/authenticated']) {
      const info = await raw('GET', `${route}/all/${path}`)
      expect([info.status, JSON.parse(info.text).name]).toEqual([200, key])
    }

    // an address is redeemed as it was given, and escaped once more as clients do
    const signed = JSON.parse(
      (await raw('POST', `/object/sign/all/${path}`, '{"expiresIn":60}', { 'content-type': 'application/json' })).text,
    )
    const [address, query] = signed.signedURL.split('?token=')
    expect(await raw('GET', `${encodeURI(decodeURI(address)).replaceAll('?', '%3F')}?token=${query}`)).toEqual({ status: 200, text })
    const many = (await (await post('/object/sign/all', { expiresIn: 60, paths: [key] })).json()) as {
      error: null
      path: string
      signedURL: string
    }[]
    expect(many).toEqual([{ error: null, path: key, signedURL: expect.stringContaining('?token=') }])
    const token = many[0]?.signedURL.split('?token=').at(-1)
    expect(await raw('GET', `/object/sign/all/${path}?token=${token}`)).toEqual({ status: 200, text })
    const upload = JSON.parse((await raw('POST', `/object/upload/sign/all/${path}`, '', { 'x-upsert': 'true' })).text)
    const put = await raw('PUT', `/object/upload/sign/all/${path}?token=${upload.token}`, text, { 'content-type': 'text/plain' })
    expect([put.status, JSON.parse(put.text)]).toEqual([200, { Key: `all/${key}` }])

    const page = (await (await post('/object/list-v2/all', { prefix: key })).json()) as { objects: { name: string }[] }
    expect(page.objects.map(({ name }) => name)).toContain(key)
    const folder = key.slice(0, key.lastIndexOf('/') + 1)
    const level = (await (await post('/object/list/all', { prefix: folder, search: key.slice(folder.length) })).json()) as {
      name: string
    }[]
    if (folder === '') expect(level.map(({ name }) => name)).toContain(key)

    const copy = { bucketId: 'all', sourceKey: key, destinationBucket: 'other', destinationKey: key }
    expect(await (await post('/object/copy', copy)).json()).toMatchObject({ Key: `other/${key}`, name: key })
    expect((await raw('DELETE', `/object/other/${path}`)).status).toBe(200)
    expect(await (await post('/object/move', copy)).json()).toEqual({ message: 'Successfully moved' })
    expect((await raw('GET', `/object/public/all/${path}`)).status).toBe(400)
    expect(await raw('GET', `/object/public/other/${path}`)).toEqual({ status: 200, text })
    const gone = (await (await post('/object/other', { prefixes: [key] }, 'DELETE')).json()) as { name: string }[]
    expect(gone.map(({ name }) => name)).toEqual([key])
  })
})

it.each([
  '.',
  '..',
  'a/../b',
  './a',
  'a/.',
  'a%b',
  'a#b',
  'a\\b',
  'a"b',
  'a<b',
  'a|b',
  'a~b',
  'a^b',
  'a`b',
  'a[b',
  'a{b',
  'ä',
  '日',
  'a\u0000b',
  'a\tb',
  'a\u007fb',
  '\u200b',
])('no object is made with the key %j, and no bucket is harmed', async (key) => {
  const answer = await raw('POST', `/object/all/${encodeURIComponent(key)}`, 'x', { 'content-type': 'text/plain' })
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([400, 'InvalidKey'])
  const copy = { bucketId: 'all', sourceKey: 'none', destinationKey: key }
  for (const path of ['/object/copy', '/object/move']) {
    const refused = await post(path, copy)
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([400, 'InvalidKey'])
  }
  expect((await raw('DELETE', `/object/all/${encodeURIComponent(key)}`)).status).toBe(400)
})
