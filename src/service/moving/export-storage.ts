import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type ByteStore, NoSuchBytes } from '../../bytes/byte-store.ts'
import { createTurnstile } from '../../bytes/turnstile.ts'
import { reasonOf } from '../../config/startup-error.ts'
import {
  countWithoutBytes,
  type ExportedObject,
  exportedBuckets,
  exportedObjects,
  measureVersions,
  pageOfObjects,
} from '../../storage/rows/moving.sql.ts'
import { inParallel } from './in-parallel.ts'
import { mediaOf } from './object-facts.ts'
import type { PeerPlace } from './open-peer-files.ts'
import { openPeerDatabase } from './peer-database.ts'
import { peerKey } from './peer-files.ts'
import { openPeerSink, type PeerSink } from './peer-sink.ts'
import { createProgress, type Progress } from './progress.ts'
import { asOwner, type Moving, withMoving, withOwnBytes } from './with-moving.ts'

export type ExportOptions = {
  readonly to: PeerPlace
  readonly tenant: string
  /** where storage.sql and attributes.txt are written */
  readonly folder: string
  readonly jobs: number
}

export type ExportReport = {
  readonly exported: number
  readonly present: number
  readonly bytes: number
  readonly failed: number
  /** the first hundred */
  readonly failures: readonly { readonly key: string; readonly why: string }[]
  /** rows put in by SQL, which have none */
  readonly withoutBytes: number
  readonly files: readonly string[]
}

const PAGE = 500
const FAILURES_SHOWN = 100

/**
 * Everything as Supabase Storage keeps it: bytes under its keys, rows and policies as SQL for psql, the extended attributes of its file
 * backend as setfattr restores them. May be run again: files that are there in their length are passed over.
 * @throws StartupError
 */
export async function exportStorage(options: ExportOptions, onLine: (line: string) => void): Promise<ExportReport> {
  return withMoving(onLine, (moving) =>
    withOwnBytes(moving, async (store) => {
      const sink = await openPeerSink(options.to, moving.config)
      const folder = resolve(options.folder)
      await mkdir(folder, { recursive: true })
      const paths = [join(folder, 'storage.sql'), ...(options.to.kind === 'folder' ? [join(folder, 'attributes.txt')] : [])]
      const [sql, attributes] = await Promise.all(paths.map((path) => open(path, 'w', 0o600)))
      try {
        return await runExport(moving, store, sink, options, { sql, attributes }, paths, onLine)
      } finally {
        await Promise.all([sql?.close(), attributes?.close(), sink.close()])
      }
    }),
  )
}

type Papers = { readonly sql: FileHandle | undefined; readonly attributes: FileHandle | undefined }

async function runExport(
  moving: Moving,
  store: ByteStore,
  sink: PeerSink,
  { tenant, jobs }: ExportOptions,
  { sql, attributes }: Papers,
  files: readonly string[],
  onLine: (line: string) => void,
): Promise<ExportReport> {
  const { run, signal } = moving
  const [measured, lacking, buckets] = await run([measureVersions(), countWithoutBytes(), exportedBuckets()])
  await sql?.appendFile(['begin;', ...(buckets ?? []).map(([insert]) => insert), ''].join('\n'))
  const progress = createProgress('exporting', { objects: Number(measured?.[0]?.[0]), bytes: Number(measured?.[0]?.[1]) }, onLine)
  const inTurn = createTurnstile(1)
  const counts = { exported: 0, present: 0, bytes: 0 }
  const failures: { key: string; why: string }[] = []
  let failed = 0
  try {
    await inParallel(objects(run), jobs, async (object) => {
      signal.throwIfAborted()
      const key = peerKey(tenant, { ...object, version: object.entry.version })
      try {
        const outcome = await exportOne(store, sink, key, object, progress, signal)
        counts[outcome]++
        if (outcome === 'exported') counts.bytes += object.entry.stored.size
        await inTurn(async () => {
          await sql?.appendFile(`${object.insert}\n`)
          await attributes?.appendFile(attributesOf(key, object.metadata))
        })
      } catch (error) {
        if (signal.aborted) throw signal.reason
        failed++
        if (failures.length < FAILURES_SHOWN) failures.push({ key, why: reasonOf(error) })
      }
    })
  } finally {
    progress.end()
  }
  const policies = await asOwner(moving.ownerUrl, async (owner) => (await openPeerDatabase(owner)).policies())
  await sql?.appendFile([...policies.map(({ text }) => `${text};`), 'commit;', ''].join('\n'))
  return { ...counts, failed, failures, withoutBytes: Number(lacking?.[0]?.[0]), files }
}

async function* objects(run: Moving['run']): AsyncGenerator<ExportedObject, void, undefined> {
  for (let after: ExportedObject | null = null; ; ) {
    const [rows] = await run([pageOfObjects(after, PAGE)])
    const page = exportedObjects(rows ?? [])
    yield* page
    if (page.length < PAGE) return
    after = page.at(-1) ?? null
  }
}

async function exportOne(
  store: ByteStore,
  sink: PeerSink,
  key: string,
  { entry: { version, stored }, metadata }: ExportedObject,
  progress: Progress,
  signal: AbortSignal,
): Promise<'exported' | 'present'> {
  if ((await sink.sizeOf(key, signal)) === stored.size) {
    progress.add(1, stored.size)
    return 'present'
  }
  const { mediaType, cacheControl } = mediaOf(metadata)
  const how = { mediaType: mediaType ?? 'application/octet-stream', cacheControl: cacheControl ?? 'no-cache' }
  const body = await store.get(version, { range: null, signal }).catch((error) => {
    throw error instanceof NoSuchBytes ? new Error('its bytes are not in the store', { cause: error }) : error
  })
  try {
    const written = await sink.put(key, body, how, signal)
    if (written.sha256 !== stored.sha256) throw new Error('its bytes are not those that were stored: their hash is another one')
  } finally {
    body.destroy()
  }
  progress.add(1, stored.size)
  return 'exported'
}

/** As `getfattr --dump` writes and `setfattr --restore` reads them. */
function attributesOf(key: string, metadata: string | null): string {
  const { mediaType, cacheControl } = mediaOf(metadata)
  return [
    `# file: ${escaped(key)}`,
    `user.supabase.content-type="${quoted(mediaType ?? 'application/octet-stream')}"`,
    `user.supabase.cache-control="${quoted(cacheControl ?? 'no-cache')}"`,
    '',
    '',
  ].join('\n')
}

const octal = (text: string) => [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
const escaped = (path: string): string => path.replaceAll(/[\\=\r\n]/g, octal)
const quoted = (value: string): string => value.replaceAll(/["\\\r\n]/g, octal)
