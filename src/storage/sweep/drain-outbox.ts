import type { ByteStore, VersionId } from '../../bytes/byte-store.ts'
import type { Row } from '../../pg/scoped-batch.ts'
import type { Statement } from '../../sqltext/sql.ts'
import { isTrue } from '../rows/columns.ts'
import { forgetOutbox, nextOutbox, postponeOutbox } from '../rows/ledger.sql.ts'
import type { Run, SweepOptions } from './sweep-options.ts'

export type DrainReport = {
  readonly removed: number
  /** versions the store would not remove; they are tried again later */
  readonly postponed: number
  /** only in a dry run: versions waiting */
  readonly left: number
}

export type DrainDeps = {
  readonly run: Run
  readonly bytes: ByteStore
  readonly options: SweepOptions
}

const BATCH = 500
const FAILURES_IN_A_ROW = 10

/** Bytes first, then the entry: a crash in between only repeats the removal, which is no error. No connection is held while bytes go. */
export async function drainOutbox(
  { run, bytes, options }: DrainDeps,
  { goOn }: { readonly goOn: () => Promise<boolean> },
): Promise<DrainReport> {
  let removed = 0
  let postponed = 0
  let after: VersionId | null = null
  for (;;) {
    const [rows = []]: readonly (readonly Row[])[] = await run([nextOutbox(after, options.readerGraceMs, BATCH)])
    if (rows.length === 0) break
    after = rows.at(-1)?.[0] as VersionId
    const batch = rows.filter(([, mayGo]) => isTrue(mayGo)).map(([version]) => version as VersionId)
    const { gone, stuck, givenUp } = await removeAll(bytes, batch)
    const statements: Statement[] = []
    if (gone.length > 0) statements.push(forgetOutbox(gone))
    if (stuck.length > 0) statements.push(postponeOutbox(stuck))
    if (statements.length > 0) await run(statements)
    removed += gone.length
    postponed += stuck.length
    if (givenUp || !(await goOn())) break
  }
  return { removed, postponed, left: 0 }
}

/** All at once; if the store refuses, one by one to find which, and not to the end when it refuses everything. */
async function removeAll(
  bytes: ByteStore,
  batch: readonly VersionId[],
): Promise<{ gone: VersionId[]; stuck: VersionId[]; givenUp: boolean }> {
  if (batch.length === 0) return { gone: [], stuck: [], givenUp: false }
  try {
    await bytes.delete(batch)
    return { gone: [...batch], stuck: [], givenUp: false }
  } catch {
    // found out below
  }
  const gone: VersionId[] = []
  const stuck: VersionId[] = []
  let inARow = 0
  for (const version of batch) {
    try {
      await bytes.delete([version])
      gone.push(version)
      inARow = 0
    } catch {
      stuck.push(version)
      if (++inARow === FAILURES_IN_A_ROW) return { gone, stuck, givenUp: true }
    }
  }
  return { gone, stuck, givenUp: false }
}
