import type { VersionId } from '../../bytes/byte-store.ts';
import type { Statement } from '../../sqltext/sql.ts';
import type { Milliseconds } from '../../std/brand.ts';
/** held by whoever sweeps */
export declare const SWEEP_LEASE = "sweep";
/** never given back: while it lasts the store is not listed again, by no process */
export declare const SCAN_LEASE = "scan";
/** Takes or renews a piece of upkeep for a while; a row comes back when it is ours. Holds no connection, and ends by itself. */
export declare const takeLease: (name: string, holder: string, lifeMs: Milliseconds) => Statement;
export declare const endLease: (name: string, holder: string) => Statement;
export declare const findStoreId: () => Statement;
/** One row: the store's id, then whether versions wait to be removed, reservations have run out, the store is due to be listed. */
export declare const findWork: (graceMs: Milliseconds, readerGraceMs: Milliseconds) => Statement;
/** Whoever comes first; the id that stands comes back by {@link findStoreId}. */
export declare const adoptStore: (storeId: string) => Statement;
/** Whether any row answers for stored bytes. */
export declare const hasVersions: () => Statement;
/** One row: how many versions are current, and the database's time. */
export declare const countVersions: () => Statement;
export declare const countOutbox: () => Statement;
/** Of stored versions: those that nothing answers for, and of the others how many are an object's current bytes. One row: array, count. */
export declare const classifyStored: (versions: readonly VersionId[]) => Statement;
/** What a page of the listing says about suspects: the unknown ones are remembered, those behind it that are known or gone are cleared. */
export declare const recordSuspects: (unknown: readonly VersionId[], after: VersionId | null, last: VersionId | null) => readonly Statement[];
/**
 * Suspects of more than a grace ago, met by an earlier listing than the one begun at `began`, go to the outbox, if still nothing answers for them: neither the ledger nor, whatever the ledger
 * says, any row of storage.objects. One row: how many.
 */
export declare const condemnSuspects: (graceMs: Milliseconds, began: string) => Statement;
