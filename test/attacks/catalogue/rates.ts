import { expect } from 'vitest'
import type { Attack } from '../attack.ts'
import { graphqlBody } from '../outcome.ts'
import { type Answer, headerOf } from '../raw.ts'
import { createWorld, type Who, type World } from '../world.ts'

const MANY = 500

/** So many at once, again and again, until all were sent. */
async function flood(send: (i: number) => Promise<Answer>): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (let i = 0; i < MANY; i += 50) answers.push(...(await Promise.all(Array.from({ length: 50 }, (_, j) => send(i + j)))))
  return answers
}

const expectHeldBack = (answers: readonly Answer[], least: number): void => {
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(least)
  expect(answers.filter(({ status }) => status !== 429 && status !== 200).map(({ status }) => status)).toEqual([])
  for (const answer of refused) expect(headerOf(answer, 'retry-after')).toMatch(/^\d+$/)
}

async function limited(settings: Readonly<Record<string, string>>, play: (world: World) => Promise<void>): Promise<void> {
  const world = await createWorld(settings)
  try {
    await play(world)
  } finally {
    await world.stop()
  }
}

const write = (world: World, as: Who) => (i: number) =>
  world.ask('PUT', `/object/priv/rates-${i % 20}`, {
    as,
    headers: [
      ['Content-Type', 'text/plain'],
      ['x-upsert', 'true'],
    ],
  })

export const RATES: readonly Attack[] = [
  {
    id: 'UP-42',
    what: 'empty files as fast as they go, by one user: 429, and others write on',
    play: async () =>
      limited({ STOWAGE_CALLER_RATE: '10' }, async (world) => {
        const others: Answer[] = []
        const answers = await flood(async (i) => {
          if (i % 50 === 0)
            others.push(await world.ask('PUT', `/object/priv/of-b-${i}`, { as: 'B', headers: [['Content-Type', 'text/plain']] }))
          return write(world, 'A')(i)
        })
        expectHeldBack(answers, MANY / 2)
        expect(others.map(({ status }) => status)).toEqual(others.map(() => 200))
        expect((await write(world, 'service')(0)).status).toBe(200)
      }),
  },
  {
    id: 'RX-14',
    what: 'a thousand questions of one user, files and GraphQL on one account: 429, and others are answered',
    play: async () =>
      limited({ STOWAGE_CALLER_RATE: '10' }, async (world) => {
        const read = (as: Who) => world.ask('GET', '/object/authenticated/priv/a.txt', { as })
        const answers = await flood((i) => (i % 2 === 0 ? read('A') : world.graphql('{__typename}', { as: 'A' })))
        expectHeldBack(answers, MANY / 2)
        for (let i = 0; i < 10; i++) {
          expect((await read('service')).status).toBe(200)
          expect(graphqlBody(await world.graphql('{__typename}', { as: 'B' })).data).toEqual({ __typename: 'Query' })
          expect(graphqlBody(await world.graphql('{__typename}')).data).toEqual({ __typename: 'Query' })
        }
      }),
  },
  {
    id: 'RX-114',
    what: 'a thousand requests of one address, with forged tokens and with none: 429 before anything is looked up, health answers on',
    play: async () =>
      limited({ STOWAGE_ADDRESS_RATE: '10' }, async (world) => {
        const answers = await flood((i) => world.ask('GET', '/bucket', i % 2 === 0 ? { as: null } : { token: `forged.${i}.x` }))
        expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(MANY / 2)
        expect(answers.filter(({ status }) => status !== 429 && status !== 400)).toEqual([])
        expect((await world.ask('GET', '/health/ready', { as: null })).status).toBe(200)
      }),
  },
]
