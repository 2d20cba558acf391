import { type SweepOnce, type SweepReport } from '../storage/sweep/sweeper.ts';
/** One pass of the sweeper, beside a running service or without one. */
export declare function sweepOnce(once: SweepOnce, onLine: (line: string) => void): Promise<SweepReport>;
