import type { Variables } from './operation.ts';
import type { Guard, Guards } from './value.ts';
/** Keeps each guard once, in the order of the first recording; each `passes` guard counts as another one. */
export declare function collectGuards(): Guards & {
    readonly recorded: readonly Guard[];
};
/** Whether a plan made under this guard serves these variables. */
export declare function holds(guard: Guard, variables: Variables): boolean;
