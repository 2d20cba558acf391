import { afterAll, beforeAll, expect, it } from 'vitest'
import { SERVICE_KEY, type StorageService, startStorageService } from './storage-service.ts'

let service: StorageService
beforeAll(async () => {
  service = await startStorageService('smoke')
})
afterAll(() => service.close())

it('a', async () => {
  const auth = { authorization: `Bearer ${SERVICE_KEY}` }
  let r = await fetch(`${service.url}/bucket`, { method: 'POST', headers: { ...auth, 'content-type': 'application/json' }, body: '{"name":"x"}' })
  console.log(r.status, await r.text())
  r = await fetch(`${service.url}/object/x/a.txt`, { method: 'POST', headers: { ...auth, 'content-type': 'text/plain' }, body: 'hello' })
  console.log(r.status, await r.text())
  r = await fetch(`${service.url}/object/authenticated/x/a.txt`, { headers: auth })
  console.log(r.status, await r.text(), [...r.headers])
  console.log(service.observed)
  expect(1).toBe(1)
})
