import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fittedExponent } from '../../bench/fitted-exponent.js'
import { costOfMillion, DOCUMENTED, indexHeight, measured, modelTables, monthlyStorage, sizesAt, statementsAt } from '../../bench/model.js'
import { expectGenerated } from '../docs/generated.ts'

const PAGE = join(import.meta.dirname, '../../docs/scaling.md')
const { growth } = measured()

describe('the fitted exponent', () => {
  const sizes = [1e4, 1e5, 1e6]
  it.each([
    [0, [7, 7, 7]],
    [1, [10, 100, 1_000]],
    [0.5, [100, 316, 1_000]],
    [2, [1, 100, 10_000]],
  ])('is %s for %j', (exponent, each) => expect(fittedExponent(sizes, each)).toBeCloseTo(exponent, 1))

  it('is 0 where there is one size', () => expect(fittedExponent([10], [3])).toBe(0))
})

describe('the model', () => {
  it('counts the levels of an index as PostgreSQL would have them, or one more', () => {
    expect(indexHeight(40, 100)).toBe(1)
    // measured: a look-up by the primary key reads 3 pages of index and one of the table at 10^6 and at 10^7
    expect(indexHeight(40, 1e7)).toBeGreaterThanOrEqual(3)
    expect(indexHeight(40, 1e7)).toBeLessThanOrEqual(4)
    expect(indexHeight(40, 1e9)).toBeGreaterThan(indexHeight(40, 1e6))
  })

  it('adds up', () => {
    const sizes = sizesAt(growth, 1e6)
    const month = monthlyStorage({ ...DOCUMENTED, objects: 1e6, meanBytes: 1_000 }, growth)
    expect(month.rowsGb).toBeCloseTo(sizes.reduce((sum, { bytes }) => sum + bytes, 0) / 1e9)
    expect(month.bytesGb).toBeCloseTo(1)
    const free = { coreHour: 0, diskGbMonth: 0, storeGbMonth: 0, storePut: 0, storeGet: 1 }
    const cost = costOfMillion({ name: 'x', serviceMs: 2, databaseMs: 1, storePuts: 5, storeGets: 3 }, free)
    expect(cost).toMatchObject({ serviceSeconds: 2_000, databaseSeconds: 1_000, perCore: 500, cores: 0, store: 3e6, total: 3e6 })
  })

  it('leaves flat what was flat, and lets grow what grew', () => {
    const at = new Map(statementsAt(growth, 1e9).map((one) => [one.name, one]))
    const last = new Map(growth.statements.map(({ name, costs: each }) => [name, each.at(-1)?.pages ?? 0]))
    expect(at.get('read: find an object')?.pages).toBeLessThan(2 * (last.get('read: find an object') ?? 0))
    expect(at.get('list: 100 of the whole bucket, by time')?.pages).toBeGreaterThan(
      50 * (last.get('list: 100 of the whole bucket, by time') ?? 0),
    )
  })

  it('was fed with measurements of every size', () => {
    for (const { name, costs: each } of growth.statements) expect(each.length, name).toBe(growth.sizes.length)
    expect(growth.sizes).toEqual([1e4, 1e5, 1e6, 1e7])
  })
})

/** What the storage face does for every request stays flat; a statement that does not is named, with the reason, in docs/scaling.md. */
const GROWS = [
  'list: the folders behind half of them, by offset',
  'list: 100 of the whole bucket, by time',
  'sweep: count all versions',
  'sweep: condemn ten suspects',
]

describe('what was measured', () => {
  it.each(growth.statements.map(({ name, exponent }) => [name, exponent] as const))('%s: exponent %s', (name, exponent) => {
    if (GROWS.includes(name)) expect(exponent).toBeGreaterThan(0.5)
    else expect(exponent).toBeLessThan(0.35)
  })
})

describe('docs/scaling.md', () => {
  const { growth: statements, sizes, requests, upkeep, beyond } = modelTables(DOCUMENTED)
  it.each([
    ['growth', statements],
    ['sizes', sizes],
    ['requests', requests],
    ['upkeep', upkeep],
    ['beyond', beyond],
  ])('shows the table %s as it is computed', (name, table) => expectGenerated(PAGE, name, table))
})
