import type { Row, ScopedBatch } from '../pg/scoped-batch.ts'
import type { Statement } from '../sqltext/sql.ts'
import { fromDatabase } from './database-error.ts'
import type { Call, StorageDeps } from './deps.ts'

type Rows = readonly (readonly Row[])[]
type End = 'commit' | 'roll back'

async function askAs<Answer>(
  run: (batch: ScopedBatch, signal: AbortSignal) => Promise<Answer>,
  { as, settings }: Call,
  batch: Pick<ScopedBatch, 'statements'> & Partial<ScopedBatch>,
  signal: AbortSignal,
  refused: (error: unknown) => unknown = fromDatabase,
): Promise<Answer> {
  try {
    return await run({ as, access: 'read write', end: 'commit', settings, ...batch }, signal)
  } catch (error) {
    throw refused(error)
  }
}

/**
 * One round trip as whoever asks; their row security decides. Never read-only: a policy may call functions that write.
 * Refusals come as errors of this face; `refused` sees them first, for those whose meaning depends on the use case.
 */
export const askAsCaller = (
  deps: StorageDeps,
  call: Call,
  statements: readonly Statement[],
  signal: AbortSignal,
  end: End = 'commit',
  refused?: (error: unknown) => unknown,
): Promise<Rows> => askAs(deps.asCaller, call, { statements, end }, signal, refused)

/**
 * The same for a look at a bucket or at keys of it. How often a function in a policy is called is PostgreSQL's choice, so it may be asked
 * twice.
 */
export const askToRead = (
  deps: StorageDeps,
  call: Call,
  bucket: string,
  statements: readonly Statement[],
  signal: AbortSignal,
): Promise<Rows> => askAs(deps.asCaller, call, { statements, mayRepeat: true, about: bucket }, signal)

/** The same for a listing, which a copy of the database may answer that is a little behind. */
export const askToList = (deps: StorageDeps, call: Call, statements: readonly Statement[], signal: AbortSignal): Promise<Rows> =>
  askAs(deps.asCaller, call, { statements, mayLag: true, ofAnyLength: true }, signal)

/** The same for one whose texts are only handed on, so that long ones stay the bytes they came as. */
export const askToHandOn = (deps: StorageDeps, call: Call, statements: readonly Statement[], signal: AbortSignal) =>
  askAs(deps.asCallerAtLength, call, { statements, mayLag: true }, signal)

/** One round trip as the service, where it has to see or write what the caller may not. */
export async function askAsService(
  deps: Pick<StorageDeps, 'asService'>,
  call: Pick<Call, 'settings'> & Partial<Pick<Call, 'as'>>,
  statements: readonly Statement[],
  signal: AbortSignal,
  refused: (error: unknown) => unknown = fromDatabase,
  access: 'read only' | 'read write' = 'read write',
): Promise<Rows> {
  try {
    const batch = { access, end: 'commit', settings: call.settings, statements } as const
    return await deps.asService(call.as ? { ...batch, behalf: call.as } : batch, signal)
  } catch (error) {
    throw refused(error)
  }
}

/** The same for statements that only read, and meet no policy. */
export const lookUpAsService = (
  deps: Pick<StorageDeps, 'asService'>,
  call: Pick<Call, 'settings'>,
  statements: readonly Statement[],
  signal: AbortSignal,
): Promise<Rows> => askAsService(deps, call, statements, signal, fromDatabase, 'read only')

/** Whether the caller is the service itself: what it may do needs no question of its own. */
export const isService = (call: Call): boolean => call.as.role === 'service_role'

/** For what must finish once its bytes are stored, whoever has gone away meanwhile. */
export const unhurried = (): AbortSignal => new AbortController().signal
