import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { listedBuckets } from '../../../src/http/storage/bucket-view.ts'
import type { BucketRecord } from '../../../src/storage/rows/buckets.sql.ts'

const BUCKET = { id: 'b', name: 'b', owner: '', public: false } as BucketRecord

const showsType = (headers: Readonly<Record<string, string>>): boolean =>
  listedBuckets({ headers } as unknown as FastifyRequest, [BUCKET]).some((bucket) => 'type' in bucket)

test.each<[boolean, Readonly<Record<string, string>>]>([
  [true, {}],
  [false, { 'user-agent': 'supabase-py/storage3 v0.11.9' }],
  [false, { 'user-agent': 'supabase-py/storage3 v0.12.0' }],
  [true, { 'user-agent': 'supabase-py/storage3 v0.12.1' }],
  [true, { 'user-agent': 'supabase-py/storage3 v2.0.0' }],
  [false, { 'x-client-info': 'supabase-py/2.17.9' }],
  [true, { 'x-client-info': 'supabase-py/2.18.0' }],
  [true, { 'x-client-info': 'supabase-py/3.0.0' }],
  [false, { 'x-client-info': 'SUPABASE-PY/1.99.0' }],
  [false, { 'x-client-info': 'supabase-py/2.18.0', 'user-agent': 'supabase-py/storage3 v0.11.9' }],
  [true, { 'x-client-info': 'supabase-js/2.1.0' }],
])('whether a list of buckets has types: %s for %o', (shown, headers) => {
  expect(showsType(headers)).toBe(shown)
})
