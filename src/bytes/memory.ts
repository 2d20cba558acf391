import { Readable } from 'node:stream'
import { bytes } from '../std/brand.ts'
import { type ByteStore, DamagedBytes, NoSuchBytes, type StoredBytes, TooManyBytes, VersionExists, type VersionId } from './byte-store.ts'
import { createFingerprint } from './fingerprint.ts'
import { readChunks } from './read-chunks.ts'

/** Bytes in the process, for tests: gone with it, and as large as its heap. */
export function createMemoryByteStore(): ByteStore {
  const versions = new Map<VersionId, Buffer>()
  const arriving = new Set<VersionId>()

  const whole = (version: VersionId): Buffer => {
    const found = versions.get(version)
    if (!found) throw new NoSuchBytes(version)
    return found
  }

  async function put(version: VersionId, body: Readable, maxBytes: number, signal: AbortSignal): Promise<StoredBytes> {
    if (versions.has(version) || arriving.has(version)) throw new VersionExists(version)
    arriving.add(version)
    try {
      const fingerprint = createFingerprint()
      const chunks: Buffer[] = []
      for await (const chunk of readChunks(body, signal)) {
        fingerprint.add(chunk)
        if (fingerprint.size() > maxBytes) throw new TooManyBytes(`more than ${maxBytes} bytes`)
        chunks.push(Buffer.from(chunk))
      }
      signal.throwIfAborted()
      versions.set(version, Buffer.concat(chunks))
      return fingerprint.finish()
    } finally {
      arriving.delete(version)
    }
  }

  return {
    put: (version, body, { maxBytes, signal }) => put(version, body, maxBytes, signal),
    get: async (version, { range, signal }) => {
      signal.throwIfAborted()
      const found = whole(version)
      if (range && range.last >= found.length) throw new DamagedBytes(`there are only ${found.length} bytes`)
      return Readable.from([range ? found.subarray(range.first, range.last + 1) : found], { objectMode: false, signal })
    },
    copy: async (from, to, { signal }) => {
      signal.throwIfAborted()
      return put(to, Readable.from([whole(from)], { objectMode: false }), bytes(Number.MAX_SAFE_INTEGER), signal)
    },
    delete: async (gone) => {
      for (const version of gone) versions.delete(version)
    },
    list: async (after, limit) =>
      [...versions.keys()]
        .sort()
        .filter((version) => after === null || version > after)
        .slice(0, limit),
    close: async () => versions.clear(),
  }
}
