import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { StorageDeps } from '../../../src/storage/deps.ts'
import { expectGolden } from '../../support/golden.ts'
import { SERVICE_KEY, type StorageService, startStorageService, token } from './storage-service.ts'

const SUBJECT = '11111111-2222-4333-8444-555555555555'
const USER = token({ role: 'authenticated', sub: SUBJECT })

let service: StorageService
let trips: string[] = []
beforeAll(async () => {
  service = await startStorageService('trips')
  const client = await service.database.connect()
  await client.query(`create policy everything on storage.objects to authenticated using (true) with check (true)`)
  for (const [name, isPublic] of [
    ['open', true],
    ['shut', false],
  ])
    await ask('POST', '/bucket', SERVICE_KEY, JSON.stringify({ name, public: isPublic }), 'application/json')
  for (const path of ['open/a', 'shut/a']) await ask('POST', `/object/${path}`, SERVICE_KEY, 'content')
  const { storage } = service.deps
  const { asCaller, asCallerAtLength, asService } = storage
  const note = (who: string, statements: readonly { readonly text: string }[]) =>
    trips.push(`${who}: ${statements.map(({ text }) => /\/\* ([\w.]+) \*\//.exec(text)?.[1] ?? '?').join(', ')}`)
  Object.assign(storage, {
    asCaller: (batch, signal) => {
      note('caller', batch.statements)
      return asCaller(batch, signal)
    },
    asCallerAtLength: (batch, signal) => {
      note('caller', batch.statements)
      return asCallerAtLength(batch, signal)
    },
    asService: (batch, signal) => {
      note('service', batch.statements)
      return asService(batch, signal)
    },
  } satisfies Partial<StorageDeps>)
})
afterAll(() => service.close())

async function ask(method: string, path: string, bearer: string | null, body?: string, type = 'text/plain'): Promise<number> {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }), ...(body === undefined ? {} : { 'content-type': type }) },
    ...(body === undefined ? {} : { body }),
  })
  await response.arrayBuffer()
  await service.settled()
  return response.status
}

it('what each request asks the database', async () => {
  const sections: [string, string][] = []
  const requests: readonly (readonly [string, ...Parameters<typeof ask>])[] = [
    ['read what is public', 'GET', '/object/public/open/a', null],
    ['read of a private bucket, the first time', 'GET', '/object/authenticated/shut/a', USER],
    ['read of a private bucket, from then on', 'GET', '/object/authenticated/shut/a', USER],
    ['read of a private bucket, nothing there', 'GET', '/object/authenticated/shut/none', USER],
    ['read by the service', 'GET', '/object/authenticated/shut/a', SERVICE_KEY],
    ['describe', 'GET', '/object/info/authenticated/shut/a', USER],
    ['upload by the service', 'POST', '/object/shut/b', SERVICE_KEY, 'content'],
    ['upload over it by the service', 'PUT', '/object/shut/b', SERVICE_KEY, 'content'],
    ['upload by a user', 'POST', '/object/shut/c', USER, 'content'],
    ['upload by the service where something is', 'POST', '/object/shut/b', SERVICE_KEY, 'content'],
    ['sign one', 'POST', '/object/sign/shut/a', USER, '{"expiresIn":60}', 'application/json'],
    ['sign five', 'POST', '/object/sign/shut', USER, '{"expiresIn":60,"paths":["a","b","c","d","e"]}', 'application/json'],
    ['list', 'POST', '/object/list/shut', USER, '{"prefix":""}', 'application/json'],
    ['delete three', 'DELETE', '/object/shut', USER, '{"prefixes":["a","b","c"]}', 'application/json'],
  ]
  for (const [title, ...request] of requests) {
    trips = []
    const status = await ask(...request)
    sections.push([`${title} (status: ${status}, trips: ${trips.length})`, trips.join('\n')])
  }
  await expectGolden(join(import.meta.dirname, 'trips.golden'), sections)
})

it('a version that was reserved with the first question and then refused is given up', async () => {
  trips = []
  const response = await fetch(`${service.url}/object/shut/conditional`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${SERVICE_KEY}`, 'content-type': 'text/plain', 'if-match': '"none"' },
    body: 'content',
  })
  await response.arrayBuffer()
  await service.settled()
  expect(trips).toEqual(['service: buckets.find_upload_rules, ledger.reserve_if_welcome', 'service: ledger.abandon'])
  const client = await service.database.connect()
  const { rows } = await client.query(
    'select (select count(*) from stowage.intents)::int as intents, (select count(*) from stowage.outbox)::int as queued',
  )
  expect(rows[0]?.intents).toBe(0)
  expect(rows[0]?.queued).toBeGreaterThan(0)
})
