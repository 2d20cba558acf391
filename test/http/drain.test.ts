import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import type { App } from '../../src/http/app.ts'
import { drain } from '../../src/http/drain.ts'
import { milliseconds } from '../../src/std/brand.ts'

test('what runs is answered; connections that are idle, or on which nothing was ever said, are closed meanwhile', async () => {
  let answer: () => void = () => undefined
  const mayAnswer = new Promise<void>((resolve) => {
    answer = resolve
  })
  const app = Fastify({ http: { connectionsCheckingInterval: 50 } })
  app.get('/slow', async () => {
    await mayAnswer
    return 'answered'
  })
  app.get('/quick', async () => 'quick')
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo

  const opened = Array.from({ length: 2 }, () => connect(port, '127.0.0.1').resume())
  await Promise.all(opened.map((socket) => once(socket, 'connect')))
  const [silent, idle] = opened
  idle?.write('GET /quick HTTP/1.1\r\nHost: x\r\n\r\n')
  if (idle) await once(idle, 'data')
  const asked = request({ host: '127.0.0.1', port, path: '/slow', agent: false }).end()
  await once(app.server, 'request')

  const drained = drain(app as unknown as App, { lingerMs: milliseconds(0), limitMs: milliseconds(60_000) })
  await expect.poll(() => [silent?.closed, idle?.closed]).toEqual([true, true])
  answer()
  const [response] = await once(asked, 'response')
  expect([response.statusCode, await text(response)]).toEqual([200, 'answered'])
  await drained
})
