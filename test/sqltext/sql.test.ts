import { expect, test } from 'vitest'
import { compile, constant, join, sql, value } from '../../src/sqltext/sql.ts'

test('a statement may have more parts than a call has room for arguments', () => {
  const many = join(
    Array.from({ length: 300_000 }, (_, i) => value(String(i))),
    ', ',
  )
  const { text, params } = compile(sql`select ${constant('count(*)')} from (values ${many}) v`)
  expect(params).toHaveLength(300_000)
  expect(text.endsWith(', $299999, $300000) v')).toBe(true)
})
