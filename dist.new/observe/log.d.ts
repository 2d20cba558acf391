import { type DestinationStream, type Logger } from 'pino';
import type { Observe } from './observation.ts';
export type Log = {
    readonly observe: Observe;
    /** for libraries that want a logger */
    readonly logger: Logger;
    /** writes out what waits */
    readonly flush: () => void;
};
/** One JSON object a line, on standard output unless told otherwise. */
export declare function createLog(level: 'silent' | 'error' | 'warn' | 'info' | 'debug', to?: DestinationStream): Log;
