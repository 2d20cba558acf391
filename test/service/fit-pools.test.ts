import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ConnectionFacts, fitPools, type WantedPools } from '../../src/service/fit-pools.ts'

const FACTS: ConnectionFacts = { maxConnections: 100, reserved: 3, databaseLimit: -1, webLimit: -1, serviceLimit: -1, others: 2, ours: 0 }
const WANTED: WantedPools = { web: 20, service: 10, processes: 1, isChosen: false }

describe('pools and what the server gives', () => {
  test('what fits is left as it is', () => {
    expect(fitPools(WANTED, FACTS)).toEqual({ sizes: { web: 20, service: 10 }, warnings: [] })
    expect(fitPools({ ...WANTED, processes: 3 }, FACTS)).toMatchObject({ sizes: { web: 20, service: 10 }, warnings: [] })
  })

  test('sizes that nobody chose are made to fit, and it is told', () => {
    const { sizes, warnings } = fitPools(WANTED, { ...FACTS, maxConnections: 25 })
    expect(sizes).toEqual({ web: 12, service: 5 })
    expect(warnings).toEqual(['the database server gives 22 connections: 12 are used for callers and 5 for the service'])
  })

  test('sizes that were chosen and can never be had end the start, with what to do', () => {
    expect(() => fitPools({ ...WANTED, isChosen: true }, { ...FACTS, maxConnections: 25 })).toThrow(
      'The pools want 20 (STOWAGE_WEB_CONNECTIONS) and 10 (STOWAGE_SERVICE_CONNECTIONS) connections, and the database gives 22: lower them, or raise max_connections on the server.',
    )
    expect(() => fitPools({ ...WANTED, isChosen: true }, { ...FACTS, webLimit: 5 })).toThrow('the role stowage_web may have 5')
    expect(() => fitPools({ ...WANTED, processes: 4, isChosen: true }, FACTS)).toThrow('4 times 20')
    expect(() => fitPools(WANTED, { ...FACTS, maxConnections: 8, reserved: 3 })).toThrow('the database gives 5')
  })

  test('limits of a role and of the database count', () => {
    expect(fitPools(WANTED, { ...FACTS, webLimit: 6 }).sizes).toEqual({ web: 6, service: 10 })
    expect(fitPools(WANTED, { ...FACTS, databaseLimit: 20 }).sizes).toEqual({ web: 10, service: 5 })
  })

  test('connections that others have taken are warned of, those of other processes of ours too', () => {
    expect(fitPools(WANTED, { ...FACTS, others: 40, ours: 30 }).warnings).toEqual([
      expect.stringContaining('can grow to 30 connections, and the server gives 97, of which 70 are taken by others now'),
    ])
  })

  test('whatever the numbers: never more than is given, never none', () => {
    const size = fc.integer({ min: 1, max: 300 })
    fc.assert(
      fc.property(
        size,
        size,
        fc.integer({ min: 1, max: 16 }),
        size,
        fc.integer({ min: -1, max: 60 }),
        (web, service, processes, given, webLimit) => {
          const facts = { ...FACTS, maxConnections: given + 3, webLimit: webLimit === 0 ? -1 : webLimit }
          try {
            const { sizes } = fitPools({ web, service, processes, isChosen: false }, facts)
            expect(processes * (sizes.web + sizes.service)).toBeLessThanOrEqual(given)
            expect(Math.min(sizes.web, sizes.service)).toBeGreaterThanOrEqual(1)
            expect(sizes.web <= web && sizes.service <= service).toBe(true)
            if (facts.webLimit > 0) expect(processes * sizes.web).toBeLessThanOrEqual(facts.webLimit)
          } catch (error) {
            expect(String(error)).toContain('StartupError')
          }
        },
      ),
    )
  })
})
