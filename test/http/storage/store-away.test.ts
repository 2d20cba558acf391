import { afterAll, beforeAll, expect, it } from 'vitest'
import { StoreUnavailable } from '../../../src/bytes/byte-store.ts'
import { SERVICE_KEY, type StorageService, startStorageService } from './storage-service.ts'

let service: StorageService
beforeAll(async () => {
  service = await startStorageService('store-away', { kept: 0 })
  await call('POST', '/bucket', '{"id":"open","name":"open","public":true}', 'application/json')
  await call('POST', '/object/open/here', 'here')
})
afterAll(() => service.close())

const call = (method: string, path: string, body?: string, type = 'text/plain') =>
  fetch(`${service.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${SERVICE_KEY}`, ...(body === undefined ? {} : { 'content-type': type }) },
    ...(body === undefined ? {} : { body }),
  })

it.each([
  ['asks for nothing', null, '1'],
  ['asks for seven seconds', 7, '7'],
  ['asks for an hour', 3600, '60'],
])('a store that is away and %s: what needs it is 503 with Retry-After, what does not goes on', async (_, retryAfterSeconds, header) => {
  const { bytes } = service.deps.storage
  const healthy = { ...bytes }
  const away = () => Promise.reject(new StoreUnavailable('the byte store at 10.0.0.1 asks to slow down', { retryAfterSeconds }))
  Object.assign(bytes, { put: away, get: away, copy: away })
  try {
    for (const answer of [
      await call('GET', '/object/open/here'),
      await call('POST', '/object/open/new', 'new'),
      await call('PUT', '/object/open/here', 'newer'),
      await call('POST', '/object/copy', '{"bucketId":"open","sourceKey":"here","destinationKey":"copy"}', 'application/json'),
    ]) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, header])
      expect(await answer.json()).toEqual({
        statusCode: '503',
        error: 'StoreBusy',
        message: 'The store of objects does not answer, try again later',
        code: 'StoreBusy',
      })
    }
    expect((await call('HEAD', '/object/open/here')).status).toBe(200)
    expect((await call('GET', '/bucket/open')).status).toBe(200)
  } finally {
    Object.assign(bytes, healthy)
  }
  expect(await (await call('GET', '/object/open/here')).text()).toBe('here')
  const listed = await call('POST', '/object/list/open', '{"prefix":""}', 'application/json')
  expect(((await listed.json()) as { name: string }[]).map(({ name }) => name)).toEqual(['here'])
})
