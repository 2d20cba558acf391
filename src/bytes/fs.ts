import type { Stats } from 'node:fs'
import fsPromises from 'node:fs/promises'
import { IncomingMessage } from 'node:http'
import type { Readable, ReadableOptions } from 'node:stream'
import { type Bytes, type Milliseconds, milliseconds } from '../std/brand.ts'
import { createChunkPool, ofAllThreads } from '../std/chunk-pool.ts'
import { invariant } from '../std/invariant.ts'
import {
  type ByteRange,
  type ByteStore,
  DamagedBytes,
  HeldBytes,
  isVersionId,
  LentBytes,
  NO_LIMIT,
  NoSuchBytes,
  type StoredBytes,
  TooManyBytes,
  VersionExists,
  type VersionId,
} from './byte-store.ts'
import { type Digest, type DigestThreads, digestHere, digestOfKnown } from './digest-threads.ts'
import { createFingerprint } from './fingerprint.ts'
import { createFolderKeeper } from './folder-keeper.ts'
import type { FsFile, FsIo } from './fs-io.ts'
import { createLetGo } from './let-go.ts'
import { createPatience, limitWaits } from './limit-waits.ts'
import { readChunks } from './read-chunks.ts'
import { storeFailure } from './store-failure.ts'
import { takeStart } from './take-start.ts'
import { createTurnstile } from './turnstile.ts'
import { type Body, writeSlabs } from './write-slabs.ts'
import type { WriteThreads } from './write-threads.ts'

export type FsByteStoreOptions = {
  /** an existing folder; versions lie below it as `ab/cd/<version>` */
  readonly folder: string
  /** flushes under way at once: Node's thread pool is shared by all file work, and a slow disk must leave threads to readers */
  readonly maxConcurrentSyncs: number
  /** for one call of the file system, and for a flush with its wait for a turn */
  readonly maxWaitMs?: Milliseconds
  readonly io?: FsIo
  /** small files are made by them; without, like large ones */
  readonly threads?: WriteThreads
  /** large files are hashed by them; without, in the calling thread */
  readonly digests?: DigestThreads
}

const isFan = (name: string): boolean => /^[0-9a-f]{2}$/.test(name)
const FILE_MODE = 0o600
/** Up to here a body is taken whole before it is written. */
const SMALL = 64 * 1024
/** Large bodies are gathered in pieces of this size, and so many are kept for the next: 4 MiB. */
const SLAB = 256 * 1024
const SLABS_KEPT = 16
const MAX_WAIT = milliseconds(120_000)
/** Processor time of a GET of 1 MiB: 1.46 ms in pieces of 128 KiB, 1.12 of 256, 0.78 of 512. A receiver who is slow holds up to three of them. */
const READ_CHUNK = 512 * 1024
const READ_CHUNKS_KEPT = 8
/** While more bodies than this are open, most of them wait for their receivers, and are read in small pieces. */
const FEW_BODIES = 32
const SMALL_CHUNK = 128 * 1024
const WHOLE_READ = 256 * 1024
/** unlinking a large file takes a thread for long */
const DELETES_AT_ONCE = 2

/**
 * Bytes in files. A version is written under its final name, exclusively, and is reachable only through a committed row, so there is
 * no temporary name and no rename; what a crash leaves behind is found through its intent. Order, in threads of its own for small ones: file, fsync, close, fsync
 * of its folder (and, when it is new, of the folders above, before), then `put` resolves. An error of any of these fails the put for good:
 * after a failed fsync the kernel may have dropped the pages, so trying again would lie (PostgreSQL manual, data_sync_retry).
 */
export function createFsByteStore({
  folder,
  maxConcurrentSyncs,
  maxWaitMs = MAX_WAIT,
  io: given = fsPromises,
  threads,
  digests,
}: FsByteStoreOptions): ByteStore {
  const patience = createPatience(maxWaitMs)
  const io = limitWaits(given, patience)
  const takeTurn = createTurnstile(maxConcurrentSyncs)
  const syncing = <T>(work: () => Promise<T>): Promise<T> => patience(takeTurn(work))
  const detach = createLetGo()
  const slabs = createChunkPool(SLAB, SLABS_KEPT, ofAllThreads)
  const folders = createFolderKeeper(folder, io, syncing)
  const chunks = createChunkPool(READ_CHUNK, READ_CHUNKS_KEPT)
  let openBodies = 0
  const pathOf = (version: VersionId) => `${folder}/${version.slice(0, 2)}/${version.slice(2, 4)}/${version}`

  /** Makes a version's file where nothing is. */
  async function inHome<T>(version: VersionId, make: () => Promise<T>): Promise<T> {
    const home = folders.homeOf(version)
    await folders.ensure(home)
    try {
      return await make()
    } catch (error) {
      if (codeOf(error) === 'EEXIST') throw new VersionExists(version, { cause: error })
      if (codeOf(error) !== 'ENOENT') throw error
    }
    // somebody took the folder away; nothing was written yet
    folders.forget(home)
    await folders.ensure(home)
    return make()
  }

  async function write(
    version: VersionId,
    chunks: AsyncGenerator<Buffer, void, undefined>,
    maxBytes: Bytes,
    signal: AbortSignal,
    letGo: (chunk: Buffer) => void,
    begin: () => Digest = () => digests?.begin() ?? digestHere(),
  ): Promise<StoredBytes> {
    invariant(isVersionId(version), 'bytes are stored under version ids only')
    let size = 0
    const admit = (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) throw new TooManyBytes(`more than ${maxBytes} bytes`)
    }
    if (!threads) return writeLarge(version, { pieces: [], rest: chunks, admit, letGo }, begin, signal)
    const { pieces, rest } = await takeStart(chunks, SMALL, admit)
    if (rest) return writeLarge(version, { pieces, rest, admit, letGo }, begin, signal)
    const fingerprint = createFingerprint()
    for (const piece of pieces) fingerprint.add(piece)
    await writeSmall(threads, version, pieces, size, signal)
    return fingerprint.finish()
  }

  async function writeSmall(
    { keep }: WriteThreads,
    version: VersionId,
    pieces: readonly Buffer[],
    size: number,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted()
    const path = pathOf(version)
    const takeAway = () => io.unlink(path).catch(() => undefined)
    await inHome(version, () => patience(keep(path, pieces, size), takeAway))
    if (!signal.aborted) return
    await takeAway()
    throw signal.reason
  }

  async function writeLarge(version: VersionId, body: Body, begin: () => Digest, signal: AbortSignal): Promise<StoredBytes> {
    const handle = await inHome(version, () => io.open(pathOf(version), 'wx', FILE_MODE)).catch(async (error) => {
      await body.rest.return()
      throw error
    })
    const digest = begin()
    try {
      let stored: Promise<StoredBytes>
      try {
        stored = (await writeSlabs(handle, body, { slabs, digest, flush: () => syncing(() => handle.sync()) })).stored
        signal.throwIfAborted()
        await syncing(() => handle.sync())
      } finally {
        await handle.close()
      }
      await folders.flush(folders.homeOf(version))
      signal.throwIfAborted()
      return await stored
    } catch (error) {
      digest.forget()
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
      const isLarge = range === null || range.last - first >= WHOLE_READ
      const stat = isLarge ? await handle.stat() : null
      const last = range?.last ?? (stat?.size ?? 0) - 1
      const length = last - first + 1
      if (stat && length > WHOLE_READ) return streamOf(handle, first, last, stat, signal)
      const whole = await readFully(handle, first, length)
      signal.throwIfAborted()
      handle.close().catch(() => undefined)
      return new HeldBytes(whole)
    } catch (error) {
      await handle.close().catch(() => undefined)
      throw error
    }
  }

  /** Reads ahead by one chunk, and holds no thread while the receiver is slow. A file that ends too early ends the body as an error. */
  function streamOf(handle: FsFile, first: number, last: number, { ino, size, ctimeMs }: Stats, signal: AbortSignal): Readable {
    let at = first
    const options: ReadableOptions = {
      highWaterMark: 1,
      signal,
      read() {
        const length = Math.min(openBodies > FEW_BODIES ? SMALL_CHUNK : READ_CHUNK, last - at + 1)
        if (length === 0) {
          this.push(null)
          return
        }
        const memory = length > SMALL_CHUNK ? chunks.lend() : Buffer.allocUnsafeSlow(length)
        handle.read(memory, 0, length, at).then(
          ({ bytesRead, buffer }) => {
            if (bytesRead === 0) this.destroy(new DamagedBytes('the file is shorter than its object'))
            at += bytesRead
            this.push(buffer.subarray(0, bytesRead))
          },
          (error) => this.destroy(storeFailure(error) as Error),
        )
      },
      destroy(error, done) {
        openBodies--
        handle.close().then(
          () => done(error),
          (closing) => done(error ?? closing),
        )
      },
    }
    openBodies++
    // the time of a file's last change is the system's to set, and nobody else's
    return new LentBytes(options, `${ino} ${size} ${ctimeMs}`, chunks.giveBack)
  }

  async function copy(from: VersionId, to: VersionId, signal: AbortSignal, begin?: () => Digest): Promise<StoredBytes> {
    const source = await get(from, null, signal).catch(rethrown(storeFailure))
    try {
      return await write(to, readChunks(source, signal), NO_LIMIT, signal, keep, begin).catch(rethrown(storeFailure))
    } finally {
      source.destroy()
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
      write(version, readChunks(body, signal), maxBytes, signal, body instanceof IncomingMessage ? detach : keep).catch((error) => {
        // a sender's connection fails in the same words as a disk
        throw error === body.errored || error === signal.reason ? error : storeFailure(error)
      }),
    get: (version, { range, signal }) => get(version, range, signal).catch(rethrown(storeFailure)),
    copy: async (from, to, { known, signal }) => {
      if (!known) return copy(from, to, signal)
      // damaged bytes are copied as they are, with hashes of their own: whoever asked compares them
      return copy(from, to, signal, () => digestOfKnown(known)).catch((error) => {
        if (error instanceof DamagedBytes) return copy(from, to, signal)
        throw error
      })
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
    close: async () => void (await Promise.all([threads?.close(), digests?.close()])),
  }
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

/** For chunks that somebody else may hold. */
const keep = (): void => undefined

const rethrown =
  (named: (error: unknown) => unknown) =>
  (error: unknown): never => {
    throw named(error)
  }

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException | null)?.code
