import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SERVICE_KEY, type StorageService, startStorageService } from './storage-service.ts'

let service: StorageService

beforeAll(async () => {
  service = await startStorageService('go_ahead')
  const headers = { authorization: `Bearer ${SERVICE_KEY}`, 'content-type': 'application/json' }
  await fetch(`${service.url}/bucket`, { method: 'POST', headers, body: JSON.stringify({ name: 'small', file_size_limit: 1_000 }) })
})
afterAll(() => service.close())

type Sent = { readonly path: string; readonly length: number; readonly token?: string; readonly type?: string; readonly body?: string }

/** The status lines in the order in which they come; the body follows a go-ahead, and nothing else. */
function statuses({ path, length, token = SERVICE_KEY, type = 'text/plain', body = 'x'.repeat(length) }: Sent): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(service.url)
    let heard = ''
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`,
      ),
    )
    socket.setEncoding('latin1').setTimeout(10_000, () => reject(new Error(`silence after ${heard}`)))
    socket.on('data', (text: string) => {
      const gone = heard.includes('100 Continue')
      heard += text
      if (!gone && heard.includes('100 Continue')) socket.write(body)
      // the connection of a refused sender stays open for a moment
      if (/HTTP\/1\.1 [2-5]/.test(heard)) socket.end()
    })
    socket.on('error', reject).on('close', () => resolve([...heard.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? '')))
  })
}

describe('a sender who waits for a go-ahead', () => {
  it('has it when the body is wanted', async () => {
    expect(await statuses({ path: '/object/small/a.txt', length: 10 })).toEqual(['100', '200'])
    const body = JSON.stringify({ prefix: '' })
    expect(await statuses({ path: '/object/list/small', length: body.length, type: 'application/json', body })).toEqual(['100', '200'])
  })

  it.each([
    ['a body over the limit', { path: '/object/small/b.txt', length: 1_001 }],
    ['a caller without the right', { path: '/object/small/c.txt', length: 10, token: 'nonsense' }],
    ['a bucket that is not there', { path: '/object/none/d.txt', length: 10 }],
    ['a key that is taken', { path: '/object/small/a.txt', length: 10 }],
  ])('hears the refusal instead: %s', async (_what, sent) => {
    const heard = await statuses(sent)
    expect(heard).toHaveLength(1)
    expect(heard[0]).toMatch(/^4/)
  })
})
