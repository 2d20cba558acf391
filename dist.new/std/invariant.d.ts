/** Raised when our own reasoning was wrong: a 500 with an id for the caller, the text for the log only. */
export declare class InvariantError extends Error {
    readonly name = "InvariantError";
}
/** States what must be true if our code is right. Never for input: bad input gets a {@link ServiceError}. */
export declare function invariant(truth: unknown, why: string): asserts truth;
