import type { FastifyRequest } from 'fastify'
import type { BucketRecord } from '../../storage/rows/buckets.sql.ts'

export type ListedBucket = BucketRecord & { readonly type?: 'STANDARD' }

/** A bucket in a list has a type, but for clients too old to expect one (storage3 before 0.12, supabase-py before 2.18). */
export function listedBuckets(request: FastifyRequest, buckets: readonly BucketRecord[]): readonly ListedBucket[] {
  if (isOldPython(request)) return buckets
  return buckets.map(({ id, name, owner, public: isPublic, ...rest }) => ({ id, name, owner, public: isPublic, type: 'STANDARD', ...rest }))
}

function isOldPython({ headers }: FastifyRequest): boolean {
  const client = /^supabase-py\/(\d+)\.(\d+)/.exec(String(headers['x-client-info'] ?? ''))
  if (client) return isBefore(client, 2, 18)
  const agent = /supabase-py\/storage3 v(\d+)\.(\d+)/.exec(headers['user-agent'] ?? '')
  return agent !== null && isBefore(agent, 0, 12)
}

const isBefore = ([, major, minor]: RegExpExecArray, toMajor: number, toMinor: number): boolean =>
  Number(major) < toMajor || (Number(major) === toMajor && Number(minor) < toMinor)
