import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SERVICE_KEY, type StorageService, startStorageService, token } from './storage-service.ts'

const SUBJECT = 'a0000000-0000-4000-8000-00000000000a'
const root = { authorization: `Bearer ${SERVICE_KEY}`, 'content-type': 'application/json' }
const user = { authorization: `Bearer ${token({ role: 'authenticated', sub: SUBJECT })}` }

type Right = 'select' | 'insert' | 'update' | 'delete'
const RIGHTS: readonly Right[] = ['select', 'insert', 'update', 'delete']

/** Every set of rights on the objects of a bucket: sixteen buckets, named after what is granted. */
const SETS = Array.from({ length: 16 }, (_, mask) => RIGHTS.filter((_, i) => mask & (1 << i)))
const bucketOf = (set: readonly Right[]) => `can-${set.map((right) => right[0]).join('') || 'nothing'}`

let service: StorageService

beforeAll(async () => {
  service = await startStorageService('rights')
  const owner = await service.database.connect()
  for (const set of SETS) {
    const bucket = bucketOf(set)
    await fetch(`${service.url}/bucket`, { method: 'POST', headers: root, body: JSON.stringify({ name: bucket }) })
    for (const right of set) {
      const clause = right === 'insert' ? 'with check' : 'using'
      await owner.query(
        `create policy "${bucket} ${right}" on storage.objects for ${right} to authenticated ${clause} (bucket_id = '${bucket}')`,
      )
    }
  }
})
afterAll(() => service.close())

type Outcome = 'ok' | 'forbidden' | 'no such key' | 'taken' | 'empty'

async function outcome(answer: Response): Promise<Outcome> {
  const text = await answer.text()
  if (answer.ok) return text === '[]' || text.includes('"signedURL":null') ? 'empty' : 'ok'
  const { statusCode, code } = JSON.parse(text || '{}') as { statusCode?: string; code?: string }
  if (answer.status !== 400) throw new Error(`${answer.status} ${text}`)
  if (statusCode === '403') return 'forbidden'
  return code === 'KeyAlreadyExists' || code === 'ResourceAlreadyExists' ? 'taken' : 'no such key'
}

const call = (method: string, path: string, body?: object) =>
  fetch(service.url + path, {
    method,
    headers: { ...user, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })

const upload = (method: string, path: string, headers: Record<string, string> = {}) =>
  fetch(service.url + path, { method, headers: { ...user, 'content-type': 'text/plain', ...headers }, body: 'x' })

const upsert = { 'x-upsert': 'true' }

/** What each operation takes, as the peer has it: a row each; `there` lies in the bucket, `new` does not. */
const OPERATIONS: readonly (readonly [string, (bucket: string) => Promise<Response>, (can: (right: Right) => boolean) => Outcome])[] = [
  ['upload', (b) => upload('POST', `/object/${b}/new`), (can) => (can('insert') ? 'ok' : 'forbidden')],
  ['upload what is there', (b) => upload('POST', `/object/${b}/there`), (can) => (can('insert') ? 'taken' : 'forbidden')],
  ['upsert', (b) => upload('POST', `/object/${b}/new`, upsert), (can) => (can('insert') && can('select') ? 'ok' : 'forbidden')],
  ['put', (b) => upload('PUT', `/object/${b}/new`), (can) => (can('insert') && can('select') ? 'ok' : 'forbidden')],
  ['put over', (b) => upload('PUT', `/object/${b}/there`), (can) => (can('insert') && can('select') && can('update') ? 'ok' : 'forbidden')],
  ['sign an upload', (b) => call('POST', `/object/upload/sign/${b}/new`), (can) => (can('insert') ? 'ok' : 'forbidden')],
  ['read', (b) => call('GET', `/object/authenticated/${b}/there`), (can) => (can('select') ? 'ok' : 'no such key')],
  ['read by the older route', (b) => call('GET', `/object/${b}/there`), (can) => (can('select') ? 'ok' : 'no such key')],
  ['head', (b) => call('HEAD', `/object/authenticated/${b}/there`), (can) => (can('select') ? 'ok' : 'no such key')],
  ['describe', (b) => call('GET', `/object/info/${b}/there`), (can) => (can('select') ? 'ok' : 'no such key')],
  ['sign', (b) => call('POST', `/object/sign/${b}/there`, { expiresIn: 60 }), (can) => (can('select') ? 'ok' : 'no such key')],
  [
    'sign several',
    (b) => call('POST', `/object/sign/${b}`, { expiresIn: 60, paths: ['there'] }),
    (can) => (can('select') ? 'ok' : 'empty'),
  ],
  ['list', (b) => call('POST', `/object/list/${b}`, { prefix: '' }), (can) => (can('select') ? 'ok' : 'empty')],
  ['copy', (b) => copy(b, 'there', 'new'), (can) => (!can('select') ? 'no such key' : can('insert') ? 'ok' : 'forbidden')],
  [
    'copy over',
    (b) => copy(b, 'there', 'other', upsert),
    (can) => (!can('select') ? 'no such key' : can('insert') && can('update') ? 'ok' : 'forbidden'),
  ],
  [
    'move',
    (b) => call('POST', '/object/move', { bucketId: b, sourceKey: 'there', destinationKey: 'new' }),
    (can) => (can('select') && can('update') ? 'ok' : 'no such key'),
  ],
  ['delete', (b) => call('DELETE', `/object/${b}/there`), (can) => (can('select') && can('delete') ? 'ok' : 'forbidden')],
  ['delete what is not there', (b) => call('DELETE', `/object/${b}/none`), () => 'no such key'],
  [
    'delete several',
    (b) => call('DELETE', `/object/${b}`, { prefixes: ['there', 'none'] }),
    (can) => (can('select') && can('delete') ? 'ok' : 'empty'),
  ],
]

function copy(bucketId: string, sourceKey: string, destinationKey: string, headers: Record<string, string> = {}): Promise<Response> {
  const body = JSON.stringify({ bucketId, sourceKey, destinationKey })
  return fetch(`${service.url}/object/copy`, { method: 'POST', headers: { ...user, 'content-type': 'application/json', ...headers }, body })
}

describe('each operation takes exactly the rights the peer asks for', () => {
  it.each(OPERATIONS)('%s', async (_name, operate, expected) => {
    const outcomes: Record<string, Outcome> = {}
    const wanted: Record<string, Outcome> = {}
    for (const set of SETS) {
      const bucket = bucketOf(set)
      for (const key of ['there', 'other'])
        await fetch(`${service.url}/object/${bucket}/${key}`, { method: 'PUT', headers: root, body: 'x' })
      await fetch(`${service.url}/object/${bucket}/new`, { method: 'DELETE', headers: { authorization: root.authorization } })
      outcomes[bucket] = await outcome(await operate(bucket))
      wanted[bucket] = expected((right) => set.includes(right))
    }
    expect(outcomes).toEqual(wanted)
  })
})

it('gives the two logins no more than they need', async () => {
  const owner = await service.database.connect()
  // a function of the user's that tries to become the service
  await owner.query(
    `create function public.rise() returns boolean language plpgsql as $$ begin perform set_config('role', 'service_role', true); return true; end $$`,
  )
  await owner.query(
    `create policy "rise" on storage.objects for select to authenticated using (bucket_id = 'can-nothing' and public.rise())`,
  )
  const answer = await call('GET', '/object/authenticated/can-nothing/there')
  expect(await answer.json()).toMatchObject({ statusCode: '403', message: 'permission denied to set role "service_role"' })
})
