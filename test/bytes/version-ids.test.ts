import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createVersionIds } from '../../src/bytes/version-ids.ts'

test('ids of one second share a folder, those of a day 256, and no two are equal', () => {
  let at = Date.UTC(2026, 5, 1)
  const next = createVersionIds(() => new Date(at), randomUUID)
  const folder = (id: string) => id.slice(0, 4)
  const second = Array.from({ length: 50 }, next)
  expect(new Set(second.map(folder)).size).toBe(1)
  expect(new Set(second).size).toBe(50)
  const day = Array.from({ length: 20_000 }, () => {
    at += 4_000
    return next()
  })
  expect(day.filter((id) => !/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toEqual([])
  // 4 divides 256: every fourth second has a folder of its own
  expect(new Set(day.map(folder)).size).toBe(64)
})
