import { expect, test } from 'vitest'
import { isFlat, median, slope } from '../../bench/slope.js'

const line = (n: number, at: (seconds: number) => number): [number, number][] =>
  Array.from({ length: n }, (_, i) => [i * 10, at(i * 10)] as [number, number])

test('the slope of a line is exact, with no error; noise shows as error', () => {
  expect(slope(line(50, (seconds) => 7 + seconds / 3600))).toEqual({ perHour: expect.closeTo(1, 9), error: expect.closeTo(0, 6) })
  const noisy = slope(line(50, (seconds) => (seconds % 20 === 0 ? 5 : 6)))
  expect(Math.abs(noisy.perHour)).toBeLessThan(noisy.error * 2)
})

test('flat is what stays within what is allowed, whatever its level and its noise', () => {
  expect(
    isFlat(
      line(40, () => 100),
      { share: 0, least: 0 },
    ),
  ).toBe(true)
  expect(
    isFlat(
      line(40, (seconds) => 100 + (seconds % 30)),
      { share: 0.05, least: 0 },
    ),
  ).toBe(true)
  expect(
    isFlat(
      line(40, (seconds) => 100 + seconds / 10),
      { share: 0.05, least: 0 },
    ),
  ).toBe(false)
  expect(
    isFlat(
      line(40, (seconds) => 100 + seconds / 10),
      { share: 0.05, least: 40 },
    ),
  ).toBe(true)
})

test('the median is the lower middle', () => {
  expect(median([5, 1, 3])).toBe(3)
  expect(median([4, 1, 3, 2])).toBe(2)
})
