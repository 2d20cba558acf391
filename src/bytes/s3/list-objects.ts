import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import type { VersionId } from '../byte-store.ts'
import type { S3Calls } from './s3-calls.ts'
import { unfinishedUploads } from './unfinished.ts'
import { versionIn } from './version-in.ts'

/** Whole objects and uploads in parts that have not ended, in one order, each version once. */
export async function listVersions(s3: S3Calls, after: VersionId | null, limit: number): Promise<readonly VersionId[]> {
  const found: VersionId[] = []
  const sources = [storedVersions(s3, after, limit), unfinishedVersions(s3, after)]
  try {
    const heads = await Promise.all(sources.map((source) => source.next()))
    for (;;) {
      const present = heads.flatMap((head) => (head.done ? [] : [head.value]))
      if (present.length === 0) return found
      const next = present.reduce((least, version) => (version < least ? version : least))
      if (next !== found.at(-1)) found.push(next)
      if (found.length === limit) return found
      for (const [i, source] of sources.entries()) {
        const head = heads[i]
        if (head && !head.done && head.value === next) heads[i] = await source.next()
      }
    }
  } finally {
    for (const source of sources) await source.return()
  }
}

async function* storedVersions(s3: S3Calls, after: VersionId | null, limit: number): AsyncGenerator<VersionId, void, undefined> {
  let token: string | undefined
  do {
    const command = new ListObjectsV2Command({
      Bucket: s3.bucket,
      Prefix: s3.prefix,
      MaxKeys: Math.min(limit + 1, 1_000),
      ...(after === null ? {} : { StartAfter: s3.keyOf(after) }),
      ...(token === undefined ? {} : { ContinuationToken: token }),
    })
    const page = await s3.call((client, options) => client.send(command, options))
    for (const { Key = '' } of page.Contents ?? []) {
      const version = versionIn(s3, Key)
      if (version !== null) yield version
    }
    token = page.IsTruncated ? page.NextContinuationToken : undefined
  } while (token !== undefined)
}

async function* unfinishedVersions(s3: S3Calls, after: VersionId | null): AsyncGenerator<VersionId, void, undefined> {
  for await (const { version } of unfinishedUploads(s3, after)) yield version
}
