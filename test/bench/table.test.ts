import { expect, test } from 'vitest'
import { asScript } from '../../bench/sql-limit.js'
import { printTables, spread } from '../../bench/table.js'

const round = (rate: number) => ({ rate, serverCpuMs: null, databaseCpuMs: 0.5, p99Ms: null })

test('the median of an even number of rounds lies between the two in the middle', () => {
  expect(spread([4, 1, 3, 2])).toEqual({ min: 1, median: 2.5, max: 4 })
  expect(spread([7])).toEqual({ min: 7, median: 7, max: 7 })
})

test('shares are taken round by round', () => {
  const table = printTables([
    { workload: 'one', target: 'limit', isLimit: true, rounds: [round(1000), round(2000)] },
    { workload: 'one', target: 'ours', rounds: [round(500), round(500)] },
  ])
  expect(table.split('\n')).toEqual([
    '| one   | requests/s min / median / max |           of limit | server CPU-ms | database CPU-ms | p99 ms |',
    '|-------|------------------------------:|-------------------:|--------------:|----------------:|-------:|',
    '| limit |         1,000 / 1,500 / 2,000 |                    |               |            0.50 |        |',
    '| ours  |               500 / 500 / 500 | 25 / **38** / 50 % |               |            0.50 |        |',
  ])
})

test('a statement becomes a line of a pgbench script', () => {
  const text = `/* graphql.query */ select '{"a":1,"b":true}' || E'\\\\' || t.x::text\nfrom t\nwhere t.id = $1::int4\n  and t.n = $2`
  expect(asScript(text, 2)).toBe(
    `select ('{"a":' || '1,"b":' || 'true}') || E'\\\\' || t.x::text from t where t.id = :p3::int4 and t.n = :p4`,
  )
})
