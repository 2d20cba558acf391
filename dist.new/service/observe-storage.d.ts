import type { Observe } from '../observe/observation.ts';
import type { StorageObservation } from '../storage/deps.ts';
import type { SweepObservation } from '../storage/sweep/sweeper.ts';
/** What the storage face tells, as an operator's log has it: alarms are failures. */
export declare const observeStorage: (observe: Observe) => (observation: StorageObservation) => void;
/** A pass that did nothing is not worth a line. */
export declare const observeSweep: (observe: Observe) => (observation: SweepObservation) => void;
