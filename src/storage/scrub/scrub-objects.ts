import { type ByteStore, DamagedBytes, NoSuchBytes, type StoredBytes } from '../../bytes/byte-store.ts'
import { countToScrub, nextToScrub, type ObjectToScrub, objectToScrub, stillNames } from '../rows/scrub.sql.ts'
import type { Run } from '../sweep/sweep-options.ts'
import { versionId } from '../version.ts'

/**
 * - `damaged`: the bytes are not those that were written
 * - `missing`: there are none
 * - `unreadable`: the store could not be asked, or broke off
 */
export type Finding = {
  readonly kind: 'damaged' | 'missing' | 'unreadable'
  readonly bucket: string
  readonly key: string
  readonly version: string | null
  readonly why: string
}

export type ScrubReport = {
  readonly objects: number
  readonly bytes: number
  readonly damaged: number
  readonly missing: number
  readonly unreadable: number
  /** read to their end, but nothing says what they should be: rows that nobody of us wrote */
  readonly unverifiable: number
  /** whether all objects were looked at */
  readonly complete: boolean
  /** where to go on; null: nothing was looked at */
  readonly after: string | null
}

export type ScrubDeps = {
  readonly run: Run
  readonly bytes: ByteStore
  /** counts and hashes, as when bytes are written */
  readonly fingerprint: () => { readonly add: (chunk: Buffer) => void; readonly finish: () => StoredBytes }
  /** called with each chunk's length; resolves when the next may be read */
  readonly pace: (bytes: number) => Promise<void>
}

export type Scrub = {
  /** null: all */
  readonly bucket: string | null
  /** goes on behind this object's id */
  readonly after: string | null
  readonly onFinding: (finding: Finding) => void
  /** after every page; `of`: objects there were to look at when it began */
  readonly onProgress: (report: ScrubReport, of: number) => void
  readonly signal: AbortSignal
}

const PAGE = 200

/**
 * Reads the bytes of all objects and compares them with what was written down when they were stored. Changes nothing. An object that is
 * overwritten or removed while it is looked at is no finding. No connection is held while bytes are read.
 */
export async function scrubObjects(deps: ScrubDeps, { bucket, after: from, onFinding, onProgress, signal }: Scrub): Promise<ScrubReport> {
  const counts = { objects: 0, bytes: 0, damaged: 0, missing: 0, unreadable: 0, unverifiable: 0 }
  let after = from
  const report = (complete: boolean): ScrubReport => ({ ...counts, complete, after })
  const of = Number((await deps.run([countToScrub(from, bucket)]))[0]?.[0]?.[0] ?? 0)
  for (;;) {
    const page: readonly ObjectToScrub[] = ((await deps.run([nextToScrub(after, bucket, PAGE)]))[0] ?? []).map(objectToScrub)
    for (const object of page) {
      if (signal.aborted) return report(false)
      const seen = await look(deps, object, signal)
      if (seen === 'stopped') return report(false)
      counts.objects++
      counts.bytes += seen.bytes
      after = object.id
      if (seen.verdict === 'unverifiable') counts.unverifiable++
      else if (seen.verdict !== 'intact' && (await isStillThere(deps, object))) {
        counts[seen.verdict.kind]++
        onFinding(seen.verdict)
      }
    }
    if (page.length < PAGE) return report(true)
    onProgress(report(false), of)
  }
}

type Seen = { readonly bytes: number; readonly verdict: Finding | 'intact' | 'unverifiable' }

async function look(deps: ScrubDeps, object: ObjectToScrub, signal: AbortSignal): Promise<Seen | 'stopped'> {
  const { bucket, key, version } = object
  const found = (kind: Finding['kind'], why: string, bytes = 0): Seen => ({ bytes, verdict: { kind, bucket, key, version, why } })
  const id = versionId(version)
  if (id === null) return found('missing', 'its row names no bytes of ours')
  let read = 0
  try {
    const fingerprint = deps.fingerprint()
    for await (const chunk of (await deps.bytes.get(id, { range: null, signal })) as AsyncIterable<Buffer>) {
      fingerprint.add(chunk)
      read += chunk.length
      await deps.pace(chunk.length)
    }
    const stored = fingerprint.finish()
    const why = whyDamaged(object, stored)
    if (why !== null) return found('damaged', why, read)
    return { bytes: read, verdict: object.sha256 === null && object.crc32 === null ? 'unverifiable' : 'intact' }
  } catch (error) {
    if (signal.aborted) return 'stopped'
    if (error instanceof NoSuchBytes) return found('missing', 'the store has no such version')
    const why = error instanceof Error ? error.message : String(error)
    return found(error instanceof DamagedBytes ? 'damaged' : 'unreadable', why, read)
  }
}

function whyDamaged({ size, sha256, crc32 }: ObjectToScrub, stored: StoredBytes): string | null {
  if (size !== null && size !== stored.size) return `${stored.size} bytes instead of ${size}`
  if (sha256 !== null && sha256 !== stored.sha256) return 'its SHA-256 is another'
  if (crc32 !== null && crc32 !== stored.crc32) return 'its CRC-32 is another than its row says'
  return null
}

const isStillThere = async ({ run }: ScrubDeps, { id, version }: ObjectToScrub): Promise<boolean> =>
  ((await run([stillNames(id, version)]))[0]?.length ?? 0) > 0
