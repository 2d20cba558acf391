import type { VersionId } from '../../bytes/byte-store.ts';
/** The versions whose bytes this process is writing; the sweeper renews their reservations while they are held. */
export type InFlight = {
    /** until the returned function is called */
    readonly hold: (version: VersionId) => () => void;
    readonly versions: () => readonly VersionId[];
};
export declare function createInFlight(): InFlight;
