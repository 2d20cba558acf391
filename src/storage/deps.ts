import type { RoleContext } from '../auth/role-context.ts'
import type { ByteStore, VersionId } from '../bytes/byte-store.ts'
import type { RunForBytes, RunScoped, ScopedBatch, Setting } from '../pg/scoped-batch.ts'
import type { Seconds } from '../std/brand.ts'
import type { KeptBytes } from './kept-bytes.ts'
import type { StorageLimits } from './limits.ts'
import type { PrivateBuckets } from './private-buckets.ts'
import type { UrlClaims, VerifiedUrl } from './url-claims.ts'
import type { VerifiedReads } from './verified-reads.ts'

/** Everything the use cases touch. Stepping up shows: what runs as the service says so. */
export type StorageDeps = {
  readonly asCaller: RunScoped
  /** the same for questions of any length: many of them leave a part of the connections to others */
  readonly asCallerAtLength: RunForBytes
  /** as service_role, whoever asked */
  readonly asService: (batch: Omit<ScopedBatch, 'as'>, signal: AbortSignal) => ReturnType<RunScoped>
  readonly bytes: ByteStore
  /** whether bytes are compared with their checksum when they are read */
  readonly verifyReads: boolean
  readonly keptBytes: KeptBytes
  readonly verifiedReads: VerifiedReads
  readonly privateBuckets: PrivateBuckets
  readonly now: () => Date
  readonly newVersion: () => VersionId
  readonly limits: StorageLimits
  readonly signUrl: (claims: UrlClaims, life: Seconds) => Promise<string>
  /** @throws ServiceError InvalidJWT with the words of the JWT library; InvalidSignature for a genuine token that is no address */
  readonly verifyUrl: (token: string) => Promise<VerifiedUrl>
  /** says that somebody is at work on a reserved version, until the returned function is called */
  readonly hold: (version: VersionId) => () => void
  /** runs after the answer, until it ends or the service stops; its failure is observed, never thrown */
  readonly inBackground: (what: string, work: (signal: AbortSignal) => Promise<void>) => void
  readonly observe: (observation: StorageObservation) => void
}

/** Who asks, and what policies can read about the request. */
export type Call = {
  readonly as: RoleContext
  readonly settings: readonly Setting[]
}

export type StorageObservation =
  /** a row whose bytes are not in the store: an alarm */
  | { readonly kind: 'bytes missing'; readonly bucket: string; readonly version: string | null }
  /** a row whose bytes are not those that were written: an alarm */
  | { readonly kind: 'bytes damaged'; readonly bucket: string; readonly version: string | null; readonly why: string }
  /** the store of bytes could not do what was asked: an alarm */
  | { readonly kind: 'store failed'; readonly error: unknown }
  /** bytes that were written and then not published */
  | { readonly kind: 'upload given up'; readonly error: unknown }
  /** now and then, and at the end */
  | { readonly kind: 'bucket emptied'; readonly bucket: string; readonly objects: number; readonly done: boolean }
  /** what is left is tried again; without an error: not, since it was asked for on another cluster */
  | { readonly kind: 'emptying failed'; readonly bucket: string; readonly error: unknown }
  /** of a deletion that takes more than one transaction: how many keys of how many were dealt with */
  | { readonly kind: 'objects deleted'; readonly bucket: string; readonly keys: number; readonly of: number }
  /** a copy that takes a while has begun; the request's own line tells of its end */
  | { readonly kind: 'copying'; readonly bucket: string; readonly bytes: number }
