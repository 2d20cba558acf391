import type { ByteStore } from '../../bytes/byte-store.ts';
import type { StoreMarker } from '../../bytes/store-marker.ts';
import { type DrainReport } from './drain-outbox.ts';
import type { InFlight } from './in-flight.ts';
import { type ScanReport } from './scan-store.ts';
import type { AsService, SweepOptions } from './sweep-options.ts';
export type SweeperDeps = {
    readonly asService: AsService;
    readonly bytes: ByteStore;
    readonly marker: StoreMarker;
    readonly inFlight: InFlight;
    /** a random UUID */
    readonly newId: () => string;
    readonly options: SweepOptions;
    readonly observe: (observation: SweepObservation) => void;
};
export type SweepObservation = {
    readonly kind: 'swept';
    readonly report: SweepReport;
} | {
    readonly kind: 'sweep failed';
    readonly error: unknown;
};
export type SweepReport = {
    /** why nothing was removed at all; null: the pass ran */
    readonly idle: string | null;
    readonly dryRun: boolean;
    /** reservations that ran out */
    readonly expired: number;
    readonly outbox: DrainReport;
    /** null: the store was not listed this time */
    readonly scan: ScanReport | null;
};
export type SweepOnce = {
    /** says what would happen, and changes nothing */
    readonly dryRun?: boolean;
    /** list the store now, or not; otherwise when it is due */
    readonly scan?: boolean;
    /** go beyond the share and the number of orphans: only ever a person's decision */
    readonly beyondLimits?: boolean;
};
export type Sweeper = {
    readonly start: () => void;
    /** ends a pass that is under way */
    readonly stop: () => Promise<void>;
    readonly sweepOnce: (options?: SweepOnce) => Promise<SweepReport>;
};
/**
 * Removes bytes that nobody can reach: one process at a time, in small steps, each of which may be repeated.
 * Versions in the outbox go; reservations that ran out join them; now and then the whole store is compared with the ledger.
 * Without the mark that ties the store to the database nothing is removed. A pass that finds nothing to do writes nothing.
 */
export declare function createSweeper(deps: SweeperDeps): Sweeper;
