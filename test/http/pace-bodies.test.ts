import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { paceBodies } from '../../src/http/pace-bodies.ts'
import { bytes, milliseconds } from '../../src/std/brand.ts'

let app: FastifyInstance

beforeAll(async () => {
  app = Fastify({ forceCloseConnections: true })
  paceBodies(app, { slowBodyGrace: milliseconds(1_000), minBodyRate: bytes(1_024) })
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.post('/', async ({ raw }) => {
    // as an upload that asks the database before it reads
    await sleep(50)
    return String((await buffer(raw)).length)
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => app.close())

/** Sends `first` bytes with the headers, the rest of 20,000 after `pause`; answers what came back. */
async function upload(first: number, pause: number): Promise<string> {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  const head = 'POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: a/b\r\ncontent-length: 20000\r\n\r\n'
  socket.write(head + 'x'.repeat(first))
  sleep(pause).then(() => socket.writable && socket.write('x'.repeat(20_000 - first)))
  return text(socket)
}

describe('a body that pauses', () => {
  it('counts with what came in the packet of its headers', async () => {
    expect(await upload(10_000, 2_500)).toMatch(/^HTTP\/1.1 200 .*\r\n\r\n20000$/s)
  })

  it('is ended when that was too little', async () => {
    expect(await upload(10, 4_000)).toMatch(/^HTTP\/1.1 408 /)
  })
})
