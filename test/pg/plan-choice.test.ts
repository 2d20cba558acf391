import { describe, expect, test } from 'vitest'
import { PlanChoice } from '../../src/pg/plan-choice.ts'

const FOR_ANY = true
const FOR_VALUES = false

/** What is noted of so many runs: that they took `ms`. */
function runs(choice: PlanChoice, count: number, ms: number, isForAny: boolean): void {
  for (let i = 0; i < count; i++) choice.note(ms, isForAny)
}

/** Of a statement that took 1 ms, and then 100 by a plan for any values. */
function givenUp(): PlanChoice {
  const choice = new PlanChoice(1)
  runs(choice, 3, 100, FOR_ANY)
  return choice
}

describe('the plan for any values is given up', () => {
  test('when it was much slower three times', () => {
    const choice = new PlanChoice(1)
    runs(choice, 2, 100, FOR_ANY)
    expect(choice.isAnew).toBe(false)
    runs(choice, 1, 100, FOR_ANY)
    expect(choice.isAnew).toBe(true)
  })

  test.each([
    ['not when it is twice as slow', 10, 20],
    ['not when all is over in milliseconds', 0.1, 4],
    ['not for the time that nothing took', 0, 0],
  ])('%s', (_, before, after) => {
    const choice = new PlanChoice(before)
    runs(choice, 100, after, FOR_ANY)
    expect(choice.isAnew).toBe(false)
  })

  test('not for one run that waited for something', () => {
    const choice = new PlanChoice(10)
    runs(choice, 5, 11, FOR_ANY)
    runs(choice, 1, 300, FOR_ANY)
    runs(choice, 5, 11, FOR_ANY)
    expect(choice.isAnew).toBe(false)
  })
})

describe('plans for the values are kept', () => {
  test('while they are much better, and the other is looked at again after a thousand', () => {
    const choice = givenUp()
    runs(choice, 999, 2, FOR_VALUES)
    expect(choice.isAnew).toBe(true)
    runs(choice, 1, 2, FOR_VALUES)
    expect(choice.isAnew).toBe(false)
    runs(choice, 50, 2, FOR_ANY)
    expect(choice.isAnew).toBe(false)
  })

  test('not when it was the values that took long, and then the other is left alone for a while', () => {
    const choice = givenUp()
    runs(choice, 16, 80, FOR_VALUES)
    expect(choice.isAnew).toBe(false)
    choice.note(1, FOR_VALUES)
    runs(choice, 400, 1_000, FOR_ANY)
    expect(choice.isAnew).toBe(false)
    runs(choice, 200, 1_000, FOR_ANY)
    expect(choice.isAnew).toBe(true)
  })
})
