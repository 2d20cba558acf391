import type { Row } from '../pg/scoped-batch.ts';
import type { Statement } from '../sqltext/sql.ts';
import type { Call, StorageDeps } from './deps.ts';
type Rows = readonly (readonly Row[])[];
type End = 'commit' | 'roll back';
/**
 * One round trip as whoever asks; their row security decides. Never read-only: a policy may call functions that write.
 * Refusals come as errors of this face; `refused` sees them first, for those whose meaning depends on the use case.
 */
export declare function askAsCaller(deps: StorageDeps, call: Call, statements: readonly Statement[], signal: AbortSignal, end?: End, refused?: (error: unknown) => unknown): Promise<Rows>;
/** One round trip as the service, where it has to see or write what the caller may not. */
export declare function askAsService(deps: StorageDeps, call: Pick<Call, 'settings'>, statements: readonly Statement[], signal: AbortSignal, refused?: (error: unknown) => unknown): Promise<Rows>;
/** Whether the caller is the service itself: what it may do needs no question of its own. */
export declare const isService: (call: Call) => boolean;
/** For what must finish once its bytes are stored, whoever has gone away meanwhile. */
export declare const unhurried: () => AbortSignal;
export {};
