/** Raised when our own reasoning was wrong: a 500 with an id for the caller, the text for the log only. */
export class InvariantError extends Error {
    name = 'InvariantError';
}
/** States what must be true if our code is right. Never for input: bad input gets a {@link ServiceError}. */
export function invariant(truth, why) {
    if (!truth)
        throw new InvariantError(why);
}
