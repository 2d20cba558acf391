import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { limitAddresses, networkOf } from '../../src/http/limit-addresses.ts'

async function app(perSecond: number) {
  const made = fastify()
  limitAddresses(made, perSecond)
  made.get('/', async () => ({}))
  made.get('/health/live', { config: { quiet: true } }, async () => ({}))
  const ask = async (url = '/', remoteAddress = '192.0.2.1') => {
    const { statusCode, headers } = await made.inject({ url, remoteAddress })
    return { statusCode, retryAfter: headers['retry-after'] }
  }
  return { ask, close: () => made.close() }
}

test('an address that sends too many is told when to come again; others, and health, are answered', async () => {
  const { ask, close } = await app(2)
  const first = await Promise.all(Array.from({ length: 12 }, () => ask()))
  expect(first.filter(({ statusCode }) => statusCode === 200)).toHaveLength(10)
  expect(first.at(-1)).toEqual({ statusCode: 429, retryAfter: '1' })
  expect((await ask('/', '192.0.2.2')).statusCode).toBe(200)
  expect((await ask('/health/live')).statusCode).toBe(200)
  expect((await ask('/nowhere')).statusCode).toBe(429)
  await close()
})

test('off, it is not there', async () => {
  const { ask, close } = await app(0)
  const all = await Promise.all(Array.from({ length: 50 }, () => ask()))
  expect(all.every(({ statusCode }) => statusCode === 200)).toBe(true)
  await close()
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::1', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1', 'fe80:0:0:0'],
  ['', ''],
])('%s counts as %s', (address, network) => expect(networkOf(address)).toBe(network))
