import type { FastifyRequest } from 'fastify'
import type { BucketRecord } from '../../storage/rows/buckets.sql.ts'

export type ListedBucket = BucketRecord & { readonly type?: 'STANDARD' }

/** A bucket in a list has a type, but for clients too old to expect one (storage3 before 0.12.1, supabase-py before 2.18.0). */
export function listedBuckets(request: FastifyRequest, buckets: readonly BucketRecord[]): readonly ListedBucket[] {
  if (isOldPython(request)) return buckets
  return buckets.map(({ id, name, owner, public: isPublic, ...rest }) => ({ id, name, owner, public: isPublic, type: 'STANDARD', ...rest }))
}

const isOldPython = ({ headers }: FastifyRequest): boolean =>
  isBefore(SUPABASE_PY.exec(String(headers['x-client-info'] ?? '')), [2, 18, 0]) ||
  isBefore(STORAGE3.exec(headers['user-agent'] ?? ''), [0, 12, 1])

const SUPABASE_PY = /supabase-py\/(\d+)\.(\d+)\.(\d+)/i
const STORAGE3 = /supabase-py\/storage3 v(\d+)\.(\d+)\.(\d+)/i

function isBefore(found: RegExpExecArray | null, bound: readonly number[]): boolean {
  if (!found) return false
  const version = found.slice(1).map(Number)
  const at = version.findIndex((part, i) => part !== bound[i])
  return at >= 0 && Number(version[at]) < Number(bound[at])
}
