import fsPromises from 'node:fs/promises'
import { Readable } from 'node:stream'
import { type Bytes, bytes, type Milliseconds, milliseconds } from '../std/brand.ts'
import { invariant } from '../std/invariant.ts'
import {
  type ByteRange,
  type ByteStore,
  DamagedBytes,
  HeldBytes,
  isVersionId,
  NoSuchBytes,
  type StoredBytes,
  StoreFailed,
  TooManyBytes,
  VersionExists,
  type VersionId,
} from './byte-store.ts'
import { createFingerprint, type Fingerprint } from './fingerprint.ts'
import { createFolderKeeper } from './folder-keeper.ts'
import type { FsFile, FsIo } from './fs-io.ts'
import { createPatience, limitWaits } from './limit-waits.ts'
import { readChunks } from './read-chunks.ts'
import { storeFailure } from './store-failure.ts'
import { createTurnstile } from './turnstile.ts'

export type FsByteStoreOptions = {
  /** an existing folder; versions lie below it as `ab/cd/<version>` */
  readonly folder: string
  /** flushes under way at once: Node's thread pool is shared by all file work, and a slow disk must leave threads to readers */
  readonly maxConcurrentSyncs: number
  /** for one call of the file system, and for a flush with its wait for a turn */
  readonly maxWaitMs?: Milliseconds
  readonly io?: FsIo
}

const isFan = (name: string): boolean => /^[0-9a-f]{2}$/.test(name)
const FILE_MODE = 0o600
const MAX_WAIT = milliseconds(120_000)
const WRITE_BATCH = 256 * 1024
/** Measured in processor time a MiB: 1.8 ms at 64 KiB, 0.9 at 256 KiB, 0.65 at 1 MiB; a receiver who is slow holds two or three of them. */
const READ_CHUNK = 256 * 1024
const WHOLE_READ = 64 * 1024
/** unlinking a large file takes a thread for long */
const DELETES_AT_ONCE = 2

/**
 * Bytes in files. A version is written under its final name, exclusively, and is reachable only through a committed row, so there is
 * no temporary name and no rename; what a crash leaves behind is found through its intent. Order: file, fsync, close, fsync of its
 * folder (and, when it is new, of the folders above), then `put` resolves. An error of any of these fails the put for good:
 * after a failed fsync the kernel may have dropped the pages, so trying again would lie (PostgreSQL manual, data_sync_retry).
 */
export function createFsByteStore({
  folder,
  maxConcurrentSyncs,
  maxWaitMs = MAX_WAIT,
  io: given = fsPromises,
}: FsByteStoreOptions): ByteStore {
  const patience = createPatience(maxWaitMs)
  const io = limitWaits(given, patience)
  const takeTurn = createTurnstile(maxConcurrentSyncs)
  const syncing = <T>(work: () => Promise<T>): Promise<T> => patience(takeTurn(work))
  const folders = createFolderKeeper(folder, io, syncing)
  const pathOf = (version: VersionId) => `${folder}/${version.slice(0, 2)}/${version.slice(2, 4)}/${version}`

  async function create(version: VersionId): Promise<FsFile> {
    const home = folders.homeOf(version)
    await folders.ensure(home)
    try {
      return await io.open(pathOf(version), 'wx', FILE_MODE)
    } catch (error) {
      if (codeOf(error) === 'EEXIST') throw new VersionExists(version, { cause: error })
      if (codeOf(error) !== 'ENOENT') throw error
    }
    // somebody took the folder away; nothing of the body was read yet
    folders.forget(home)
    await folders.ensure(home)
    return io.open(pathOf(version), 'wx', FILE_MODE)
  }

  async function write(version: VersionId, chunks: AsyncIterable<Buffer>, maxBytes: Bytes, signal: AbortSignal): Promise<StoredBytes> {
    invariant(isVersionId(version), 'bytes are stored under version ids only')
    const handle = await create(version)
    const fingerprint = createFingerprint()
    try {
      try {
        await writeChunks(handle, chunks, fingerprint, maxBytes)
        signal.throwIfAborted()
        await syncing(() => handle.sync())
      } finally {
        await handle.close()
      }
      await folders.flush(folders.homeOf(version))
      signal.throwIfAborted()
      return fingerprint.finish()
    } catch (error) {
      await io.unlink(pathOf(version)).catch(() => undefined)
      throw error
    }
  }

  async function open(version: VersionId): Promise<FsFile> {
    if (!isVersionId(version)) throw new NoSuchBytes(version)
    try {
      return await io.open(pathOf(version), 'r')
    } catch (error) {
      if (codeOf(error) === 'ENOENT') throw new NoSuchBytes(version, { cause: error })
      throw error
    }
  }

  async function get(version: VersionId, range: ByteRange | null, signal: AbortSignal): Promise<Readable> {
    signal.throwIfAborted()
    const handle = await open(version)
    try {
      const first = range?.first ?? 0
      const last = range?.last ?? (await handle.stat()).size - 1
      const length = last - first + 1
      if (length > WHOLE_READ) return streamOf(handle, first, last, signal)
      const whole = await readFully(handle, first, length)
      signal.throwIfAborted()
      handle.close().catch(() => undefined)
      return new HeldBytes(whole)
    } catch (error) {
      await handle.close().catch(() => undefined)
      throw error
    }
  }

  async function remove(version: VersionId): Promise<void> {
    if (!isVersionId(version)) return
    try {
      await io.unlink(pathOf(version))
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
    }
  }

  return {
    put: (version, body, { maxBytes, signal }) =>
      write(version, readChunks(body, signal), maxBytes, signal).catch((error) => {
        // a sender's connection fails in the same words as a disk
        throw error === body.errored || error === signal.reason ? error : storeFailure(error)
      }),
    get: (version, { range, signal }) => get(version, range, signal).catch(rethrown(storeFailure)),
    copy: async (from, to, { signal }) => {
      const source = await get(from, null, signal).catch(rethrown(storeFailure))
      try {
        return await write(to, readChunks(source, signal), bytes(Number.MAX_SAFE_INTEGER), signal).catch(rethrown(storeFailure))
      } finally {
        source.destroy()
      }
    },
    delete: async (versions) => {
      const errors: unknown[] = []
      const left = versions.values()
      const work = async () => {
        for (const version of left) await remove(version).catch((error) => errors.push(error))
      }
      await Promise.all(Array.from({ length: Math.min(DELETES_AT_ONCE, versions.length) }, work))
      if (errors.length > 0)
        throw errors.length === 1 ? storeFailure(errors[0]) : new AggregateError(errors, `${errors.length} versions were not removed`)
    },
    list: (after, limit) => listVersions(folder, io, after, limit).catch(rethrown(storeFailure)),
    close: async () => {},
  }
}

/** While one batch is on its way to the disk the next is received and hashed; so at most two batches are in memory. */
async function writeChunks(handle: FsFile, chunks: AsyncIterable<Buffer>, fingerprint: Fingerprint, maxBytes: Bytes): Promise<void> {
  let batch: Buffer[] = []
  let batched = 0
  let writing: Promise<void> = Promise.resolve()
  try {
    for await (const chunk of chunks) {
      fingerprint.add(chunk)
      if (fingerprint.size() > maxBytes) throw new TooManyBytes(`more than ${maxBytes} bytes`)
      batch.push(chunk)
      batched += chunk.length
      if (batched < WRITE_BATCH) continue
      await writing
      writing = writeAll(handle, batch)
      // it is awaited below; until then a failure must not count as unhandled
      writing.catch(() => undefined)
      batch = []
      batched = 0
    }
  } finally {
    // the handle must not be closed under a write
    await writing
  }
  if (batched > 0) await writeAll(handle, batch)
}

async function writeAll(handle: FsFile, batch: readonly Buffer[]): Promise<void> {
  let left = batch
  for (;;) {
    const [only] = left
    const { bytesWritten } = left.length === 1 && only ? await handle.write(only) : await handle.writev(left)
    left = behind(left, bytesWritten)
    if (left.length === 0) return
    // a full disk takes a part and says so only to the next write
    if (bytesWritten === 0) throw new StoreFailed('full', 'the file takes no more bytes')
  }
}

function behind(batch: readonly Buffer[], written: number): readonly Buffer[] {
  let skip = written
  let i = 0
  for (; i < batch.length; i++) {
    const length = batch[i]?.length ?? 0
    if (skip < length) break
    skip -= length
  }
  const rest = batch.slice(i)
  const [head] = rest
  return head && skip > 0 ? [head.subarray(skip), ...rest.slice(1)] : rest
}

async function readFully(handle: FsFile, first: number, length: number): Promise<Buffer> {
  // of its own, since it may be kept: a slice would keep what it was cut from
  const buffer = Buffer.allocUnsafeSlow(length)
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, first + filled)
    if (bytesRead === 0) throw new DamagedBytes('the file is shorter than its object')
    filled += bytesRead
  }
  return buffer
}

/** Reads ahead by one chunk, and holds no thread while the receiver is slow. A file that ends too early ends the body as an error. */
function streamOf(handle: FsFile, first: number, last: number, signal: AbortSignal): Readable {
  let at = first
  const body = new Readable({
    highWaterMark: READ_CHUNK,
    signal,
    read() {
      const length = Math.min(READ_CHUNK, last - at + 1)
      if (length === 0) {
        this.push(null)
        return
      }
      handle.read(Buffer.allocUnsafeSlow(length), 0, length, at).then(
        ({ bytesRead, buffer }) => {
          if (bytesRead === 0) this.destroy(new DamagedBytes('the file is shorter than its object'))
          at += bytesRead
          this.push(buffer.subarray(0, bytesRead))
        },
        (error) => this.destroy(storeFailure(error) as Error),
      )
    },
    destroy(error, done) {
      handle.close().then(
        () => done(error),
        (closing) => done(error ?? closing),
      )
    },
  })
  return body
}

/** Folder by folder in order of name, so that memory holds one folder's names, whatever the size of the store. */
async function listVersions(folder: string, io: FsIo, after: VersionId | null, limit: number): Promise<readonly VersionId[]> {
  const found: VersionId[] = []
  const from = after ?? ''
  for (const outer of await namesIn(folder, isFan, io)) {
    if (outer < from.slice(0, 2)) continue
    for (const inner of await namesIn(`${folder}/${outer}`, isFan, io)) {
      if (outer + inner < from.slice(0, 4)) continue
      for (const name of await namesIn(`${folder}/${outer}/${inner}`, isVersionId, io)) {
        if (name <= from || !name.startsWith(outer + inner)) continue
        found.push(name as VersionId)
        if (found.length === limit) return found
      }
    }
  }
  return found
}

async function namesIn(folder: string, isOurs: (name: string) => boolean, io: FsIo): Promise<readonly string[]> {
  const names = await io.readdir(folder)
  return names.filter((name) => isOurs(name)).sort()
}

const rethrown =
  (named: (error: unknown) => unknown) =>
  (error: unknown): never => {
    throw named(error)
  }

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException | null)?.code
