import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import type { Readable } from 'node:stream'
import type { PlainBucket } from '../../bytes/s3/plain-bucket.ts'
import type { ForeignObject } from '../../storage/rows/moving.sql.ts'

export type PeerFile = {
  readonly size: number | null
  /** with its quotes; null where the files have none */
  readonly etag: string | null
  readonly mediaType: string | null
  readonly cacheControl: string | null
  readonly open: (signal: AbortSignal) => Promise<Readable>
}

/** The files of a Supabase Storage, by their keys. null: there is none. */
export type PeerFiles = { readonly find: (key: string, signal: AbortSignal) => Promise<PeerFile | null>; readonly close: () => void }

/** Where the peer has the bytes of an object: rows from before it had versions have none in the key. */
export const peerKey = (tenant: string, { bucketId, name, version }: Pick<ForeignObject, 'bucketId' | 'name' | 'version'>): string =>
  [...(tenant === '' ? [] : [tenant]), bucketId, name, ...(version ? [version] : [])].join('/')

export const filesInBucket = (bucket: PlainBucket): PeerFiles => ({
  find: async (key, signal) => {
    const found = await bucket.find(key, signal)
    return found && { ...found, open: (abort) => bucket.get(key, abort) }
  },
  close: bucket.close,
})

/** Its media types stand in extended attributes, and in the rows: the rows are believed. */
export const filesInFolder = (folder: string): PeerFiles => ({
  find: async (key, signal) => {
    signal.throwIfAborted()
    const path = pathIn(folder, key)
    const found = path === null ? null : await stat(path).catch(unlessMissing)
    if (path === null || !found?.isFile()) return null
    return {
      size: found.size,
      // what its setting "mtime" makes of a file
      etag: `"${Math.floor(found.mtimeMs).toString(16)}-${found.size.toString(16)}"`,
      mediaType: null,
      cacheControl: null,
      open: async (abort) => createReadStream(path, { signal: abort, highWaterMark: 256 * 1024 }),
    }
  },
  close: () => undefined,
})

/** As the peer makes a path of a key. null: it would lie outside, or no file can be called so */
export function pathIn(folder: string, key: string): string | null {
  const segments = key.split('/')
  if (key.includes('\0') || segments.some((segment) => segment === '..' || Buffer.byteLength(segment) > 255)) return null
  const path = resolve(folder, ...segments.filter((segment) => segment !== '' && segment !== '.'))
  return path.startsWith(resolve(folder) + sep) ? path : null
}

function unlessMissing(error: NodeJS.ErrnoException): null {
  if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(error.code ?? '')) return null
  throw error
}
