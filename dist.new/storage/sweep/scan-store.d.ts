import type { ByteStore } from '../../bytes/byte-store.ts';
import type { Run, SweepOptions } from './sweep-options.ts';
export type ScanReport = {
    /** versions in the store */
    readonly stored: number;
    /** objects whose bytes the listing did not show, as far as counting tells; uploads and deletions meanwhile blur it */
    readonly missing: number;
    /** versions in the store that nothing answers for */
    readonly unknown: number;
    /** of these, how many were unknown a grace ago already, and are now in the outbox */
    readonly condemned: number;
    /** why none was condemned; null: nothing spoke against it */
    readonly refused: string | null;
};
export type ScanDeps = {
    readonly run: Run;
    readonly bytes: ByteStore;
    readonly options: SweepOptions;
};
/**
 * The second net, for what a lost reservation, a restored database or a switched-off trigger left behind: compares what is stored with
 * what the database knows. It trusts neither side: a version must be unknown in two listings a grace apart, the store must hold nearly
 * all that it should, and only few may be unknown.
 */
export declare function scanStore({ run, bytes, options }: ScanDeps, { dryRun, beyondLimits, goOn }: {
    readonly dryRun: boolean;
    readonly beyondLimits: boolean;
    readonly goOn: () => Promise<boolean>;
}): Promise<ScanReport>;
