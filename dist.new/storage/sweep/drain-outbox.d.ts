import type { ByteStore } from '../../bytes/byte-store.ts';
import type { Run, SweepOptions } from './sweep-options.ts';
export type DrainReport = {
    readonly removed: number;
    /** versions the store would not remove; they are tried again later */
    readonly postponed: number;
    /** only in a dry run: versions waiting */
    readonly left: number;
};
export type DrainDeps = {
    readonly run: Run;
    readonly bytes: ByteStore;
    readonly options: SweepOptions;
};
/** Bytes first, then the entry: a crash in between only repeats the removal, which is no error. No connection is held while bytes go. */
export declare function drainOutbox({ run, bytes, options }: DrainDeps, { goOn }: {
    readonly goOn: () => Promise<boolean>;
}): Promise<DrainReport>;
