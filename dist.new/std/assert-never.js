import { InvariantError } from './invariant.js';
/** Closes a union: a new member makes the compiler name every place that must learn it. */
export function assertNever(value) {
    throw new InvariantError(`unhandled case: ${JSON.stringify(value)}`);
}
