import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerOneAtATime } from '../../src/http/one-at-a-time.ts'

const BIG = 3_000_000
/** Requests that were handed out: their paths, and whether somebody was still there. */
const handed: { readonly path: string; readonly isThere: boolean }[] = []
const answers: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> = {
  now: (_, response) => response.end('x'),
  slow: (_, response) => setTimeout(() => response.end('x'), 10),
  big: (_, response) => {
    response.writeHead(200, { 'content-length': BIG })
    response.write(Buffer.alloc(BIG))
    setTimeout(() => response.end(), 20)
  },
  // begun while somebody was there, ended when nobody is
  late: (_, response) => {
    response.writeHead(200, { 'content-length': 1 })
    response.write('x')
    setTimeout(() => response.end(), 30)
  },
  body: (request, response) => request.resume().on('end', () => response.end('x')),
}

const server = createServer((request, response) => {
  const path = request.url?.slice(1) ?? ''
  handed.push({ path, isThere: !request.socket.destroyed })
  answers[path]?.(request, response)
})
server.on('checkExpectation', (_, response) => response.writeHead(417).end())
answerOneAtATime(server)

let port = 0
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const get = (path: string, headers = '') => `GET /${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`
const UNREAD = 'y'.repeat(40_000)
const post = (path: string) => `POST /${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${UNREAD.length}\r\n\r\n${UNREAD}`

/** Says it on a connection of its own, and goes when `leave` says so. */
const visit = (text: string, leave: (socket: Socket) => void): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve())
    leave(socket)
  })

test('what waits is not handed out when nobody is there any more', async () => {
  handed.length = 0
  await visit(get('late') + get('now').repeat(20), (socket) => socket.once('data', () => socket.resetAndDestroy()))
  await sleep(100)
  expect(handed).toEqual([{ path: 'late', isThere: true }])
})

test('connections that end at any moment, whatever waits on them, harm nobody', async () => {
  handed.length = 0
  const kinds = [get('now'), get('slow'), get('big'), get('late'), post('body'), get('now', 'Expect: tea\r\n')]
  const any = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)] as Item
  const one = () => {
    const asked = Array.from({ length: 1 + Math.floor(Math.random() * 30) }, () => any(kinds)).join('')
    const isRead = Math.random() < 0.5
    return visit(asked, (socket) => {
      if (isRead) socket.resume()
      setTimeout(() => any([() => socket.end(), () => socket.destroy(), () => socket.resetAndDestroy()])(), Math.random() * 200)
      setTimeout(() => socket.destroy(), 300)
    })
  }
  for (let round = 0; round < 12; round++) await Promise.all(Array.from({ length: 20 }, one))
  await sleep(500)
  expect(handed.filter(({ isThere }) => !isThere)).toEqual([])
  handed.length = 0
  // and as many may wait as before
  const asked = get('now').repeat(1_500)
  await visit(asked + get('now', 'Connection: close\r\n'), (socket) => socket.resume())
  expect(handed).toHaveLength(1_501)
})
