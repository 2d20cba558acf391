import { describe, expect, test } from 'vitest'
import type { Measurements } from '../../src/observe/measurements.ts'
import { gatherMeasurements, type Measured } from '../../src/service/gather-measurements.ts'
import { milliseconds } from '../../src/std/brand.ts'
import { crowd } from '../support/crowd.ts'

const LIMIT = milliseconds(50)
const nothing = (): Measurements => ({ samples: {}, distributions: {} })

/** A process that has seen so many plans, whose readings took so long, and that uses so much memory. */
const having = (plans: number, memory: number): Measurements => ({
  samples: {
    plans: [{ labels: ['yes'], value: plans }],
    memory: [{ labels: [], value: memory }],
    cpu: [{ labels: [], value: 1 }],
    ready: [{ labels: [], value: 1 }],
    processes: [{ labels: ['yes'], value: 1 }],
  },
  distributions: { reflections: [{ labels: [], counts: [plans], sum: plans / 10 }] },
})
const telling = (told: () => Measurements): Measured => ({ measure: async () => told() })
const frozen = () => new Promise<never>(() => undefined)

const plansIn = ({ samples }: Measurements) => samples.plans?.[0]?.value
const toldBy = ({ samples }: Measurements) => Object.fromEntries((samples.processes ?? []).map(({ labels, value }) => [labels[0], value]))

describe('the numbers of several processes', () => {
  test('are asked of all and added up, with those of the one who asks', async () => {
    const own = { ...nothing(), samples: { lines: [{ labels: ['error', 'x'], value: 2 }] } }
    const gathering = gatherMeasurements(() => own, LIMIT)
    const sum = await gathering.read([telling(() => having(3, 100)), telling(() => having(4, 200))])
    expect(plansIn(sum)).toBe(7)
    expect(sum.samples.lines).toEqual([{ labels: ['error', 'x'], value: 2 }])
    expect(sum.samples.memory?.map(({ labels, value }) => [labels, value])).toEqual([
      [['1'], 100],
      [['2'], 200],
    ])
    expect(sum.samples.ready?.[0]?.value).toBe(1)
    expect(toldBy(sum)).toEqual({ yes: 2, no: 0 })
    expect(sum.distributions.reflections?.[0]).toMatchObject({ sum: 0.7 })
    expect(sum.distributions.reflections?.[0]?.counts[0]).toBe(7)
  })

  test('never go back, whether one says nothing, fails, leaves with a last word or is killed', async () => {
    const gathering = gatherMeasurements(nothing, LIMIT)
    let isFrozen = false
    let plans = 10
    const first: Measured = { measure: () => (isFrozen ? frozen() : Promise.resolve(having(plans, 1))) }
    const second = telling(() => having(5, 1))
    expect(plansIn(await gathering.read([first, second]))).toBe(15)
    isFrozen = true
    const began = performance.now()
    const without = await gathering.read([first, second])
    expect(performance.now() - began).toBeLessThan(2_000 * crowd())
    expect(plansIn(without)).toBe(15)
    expect(toldBy(without)).toEqual({ yes: 1, no: 1 })
    expect(without.samples.ready?.[0]?.value).toBe(0)
    expect(without.samples.memory?.map(({ labels }) => labels[0])).toEqual(['2'])
    const failing: Measured = { measure: () => Promise.reject(new Error('it does not serve')) }
    expect(toldBy(await gathering.read([failing]))).toEqual({ no: 1 })

    isFrozen = false
    plans = 12
    // told on leaving, since the last question
    const { cpu, ...lastWord } = having(14, 1).samples
    expect(cpu?.[0]?.value).toBe(1)
    gathering.note(first, { ...having(14, 1), samples: lastWord })
    gathering.left(first)
    const afterwards = await gathering.read([second])
    expect([plansIn(afterwards), afterwards.samples.cpu?.[0]?.value]).toEqual([19, 2])
    // killed: what it counted since it was asked last is lost, what was told is not
    gathering.left(second)
    gathering.left(second)
    const third = telling(() => having(1, 1))
    expect(plansIn(await gathering.read([third]))).toBe(20)
    expect(plansIn(await gathering.read([third]))).toBe(20)
  })
})
