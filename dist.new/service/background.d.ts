import type { Observe } from '../observe/observation.ts';
/** Work that goes on after its answer was sent. */
export type Background = {
    readonly run: (what: string, work: (signal: AbortSignal) => Promise<void>) => void;
    /** tells all work to end and waits for it */
    readonly stop: () => Promise<void>;
};
export declare function createBackground(observe: Observe): Background;
