import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { NO_LIMIT, type StoredBytes } from '../../bytes/byte-store.ts'
import { createFingerprint } from '../../bytes/fingerprint.ts'
import type { PlainBucket } from '../../bytes/s3/plain-bucket.ts'
import type { Config } from '../../config/options.ts'
import { openPeerBucket, type PeerPlace } from './open-peer-files.ts'
import { pathIn } from './peer-files.ts'

/** Where an export writes, by the peer's keys. */
export type PeerSink = {
  /** null: there is none */
  readonly sizeOf: (key: string, signal: AbortSignal) => Promise<number | null>
  readonly put: (
    key: string,
    body: Readable,
    how: { readonly mediaType: string; readonly cacheControl: string },
    signal: AbortSignal,
  ) => Promise<StoredBytes>
  readonly close: () => void
}

/** @throws StartupError */
export async function openPeerSink(place: PeerPlace, config: Config): Promise<PeerSink> {
  if (place.kind === 'bucket') return sinkOfBucket(await openPeerBucket(place, config))
  return sinkOfFolder(resolve(place.folder))
}

const sinkOfBucket = (bucket: PlainBucket): PeerSink => ({
  sizeOf: async (key, signal) => (await bucket.find(key, signal))?.size ?? null,
  put: (key, body, how, signal) => bucket.put(key, body, { ...how, maxBytes: NO_LIMIT }, signal),
  close: bucket.close,
})

/** Under its name only when it is whole and on the disk. */
function sinkOfFolder(folder: string): PeerSink {
  const pathOf = (key: string): string => {
    const path = pathIn(folder, key)
    if (path === null) throw new Error('no file can have its key as a path')
    return path
  }
  return {
    sizeOf: async (key) => (await stat(pathOf(key)).catch(() => null))?.size ?? null,
    put: async (key, body, _, signal) => {
      const path = pathOf(key)
      await mkdir(dirname(path), { recursive: true })
      const draft = `${dirname(path)}/.${randomUUID()}`
      const fingerprint = createFingerprint()
      try {
        const file = createWriteStream(draft, { flags: 'wx' })
        await pipeline(
          body,
          async function* (chunks: AsyncIterable<Buffer>) {
            for await (const chunk of chunks) {
              fingerprint.add(chunk)
              yield chunk
            }
          },
          file,
          { signal },
        )
        await flush(draft)
        await rename(draft, path)
        await flush(dirname(path))
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
      return fingerprint.finish()
    },
    close: () => undefined,
  }
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
