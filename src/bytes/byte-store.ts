import { Readable, type ReadableOptions } from 'node:stream'
import { type Brand, type Bytes, bytes } from '../std/brand.ts'

/** A random version id of ours (UUID text): the only name bytes are stored under. */
export type VersionId = Brand<string, 'VersionId'>

/** Inclusive, absolute, inside the object (RFC 9110 14.1.2). */
export type ByteRange = { readonly first: Bytes; readonly last: Bytes }

export type StoredBytes = {
  readonly size: Bytes
  /** lower-case hex */
  readonly md5: string
  /** lower-case hex */
  readonly sha256: string
  /** of all bytes, unsigned (ISO-HDLC, as in zlib) */
  readonly crc32: number
}

/** What the ledger remembers of a version. */
export type HashedBytes = Omit<StoredBytes, 'crc32'>

/** For bytes that were let in when they came first, and those that must be dealt with however many they are. */
export const NO_LIMIT = bytes(Number.MAX_SAFE_INTEGER)

export type CopyOptions = { readonly known: StoredBytes | null; readonly signal: AbortSignal }

/**
 * Where bytes live. Knows no bucket, key, role, HTTP or PostgreSQL.
 *
 * Laws (test/bytes/byte-store.contract.ts):
 * - put is all or nothing and durable: once it resolves, get yields exactly those bytes, after a power cut too;
 * - a body of maxBytes is taken, of maxBytes + 1 is refused with {@link TooManyBytes} and leaves nothing;
 * - putting to an existing version rejects with {@link VersionExists} and leaves the old bytes;
 * - get of a missing version rejects with {@link NoSuchBytes} before the first byte;
 * - get of a range that the version is too short for fails with {@link DamagedBytes}, and never ends as if it were whole;
 * - delete of a missing version succeeds;
 * - an aborted call leaves nothing readable;
 * - what the store itself cannot do rejects with {@link StoreFailed};
 * - list names every version once, in ascending order, `limit` at a time; unfinished ones that take room may be among them;
 */
export type ByteStore = {
  readonly put: (
    version: VersionId,
    body: Readable,
    options: { readonly maxBytes: Bytes; readonly signal: AbortSignal },
  ) => Promise<StoredBytes>
  readonly get: (version: VersionId, options: { readonly range: ByteRange | null; readonly signal: AbortSignal }) => Promise<Readable>
  /** `known`: what the ledger says of `from`; a store that can copy on its own side then need not read the bytes. null: nobody knows */
  readonly copy: (from: VersionId, to: VersionId, options: CopyOptions) => Promise<StoredBytes>
  readonly delete: (versions: readonly VersionId[]) => Promise<void>
  readonly list: (after: VersionId | null, limit: number) => Promise<readonly VersionId[]>
  readonly close: () => Promise<void>
}

/** A body that is in memory already: whoever can send it in one piece need not stream it. */
export class HeldBytes extends Readable {
  readonly whole: Buffer

  constructor(whole: Buffer) {
    super({ highWaterMark: whole.length + 1 })
    this.whole = whole
  }

  override _read(): void {
    if (this.whole.length > 0) this.push(this.whole)
    this.push(null)
  }
}

/** A body in memory of the store's: whoever was given a chunk, and has done with it, may give it back. */
export class LentBytes extends Readable {
  readonly giveBack: (chunk: Buffer) => void
  /** is another as soon as anybody has written to these bytes since */
  readonly mark: string

  constructor(options: ReadableOptions, mark: string, giveBack: (chunk: Buffer) => void) {
    super(options)
    this.mark = mark
    this.giveBack = giveBack
  }
}

export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes'
}
export class VersionExists extends Error {
  override readonly name = 'VersionExists'
}
export class NoSuchBytes extends Error {
  override readonly name = 'NoSuchBytes'
}
/** What lies in the store is not what was put there. */
export class DamagedBytes extends Error {
  override readonly name = 'DamagedBytes'
}

/** `full`: there is no room. `busy`: not now (no files left to open, or no answer in time). `broken`: anything else that a disk says. */
export type StoreFailure = 'full' | 'busy' | 'broken'

export class StoreFailed extends Error {
  override readonly name = 'StoreFailed'
  readonly reason: StoreFailure

  constructor(reason: StoreFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** A store of others is away, overloaded or at fault; also when its answer shows that it has not done what it was asked for. */
export class StoreUnavailable extends StoreFailed {
  /** what the store asked for, if anything */
  readonly retryAfterSeconds: number | null

  constructor(message: string, options: ErrorOptions & { readonly retryAfterSeconds?: number | null } = {}) {
    super('busy', message, options)
    this.retryAfterSeconds = options.retryAfterSeconds ?? null
  }
}

const VERSION = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether bytes could be stored under this name. */
export const isVersionId = (text: string): text is VersionId => VERSION.test(text)
