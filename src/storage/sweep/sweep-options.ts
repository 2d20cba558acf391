import type { RunScoped } from '../../pg/scoped-batch.ts'
import type { Statement } from '../../sqltext/sql.ts'
import type { Milliseconds } from '../../std/brand.ts'
import type { StorageDeps } from '../deps.ts'

export type AsService = StorageDeps['asService']

/** Statements of one transaction, as the service. */
export type Run = (statements: readonly Statement[]) => ReturnType<RunScoped>

export type SweepOptions = {
  /** between two passes */
  readonly intervalMs: Milliseconds
  /** a reservation that nobody renewed for so long is a crash; bytes that nothing answers for wait as long between two looks */
  readonly graceMs: Milliseconds
  /** between the moment a version is let go and its removal, for readers who know its row and have not opened it yet */
  readonly readerGraceMs: Milliseconds
  /** between two listings of the whole store; a lease never lasts longer */
  readonly scanIntervalMs: Milliseconds
  /** a listing that finds more unknown versions than this share of the known ones (but ten are always allowed) removes none */
  readonly maxOrphanShare: number
  /** likewise, as a number */
  readonly maxOrphans: number
}
