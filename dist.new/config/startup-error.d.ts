/** Why the service cannot run, in words for the person who started it: printed without a stack, exit code 1. */
export declare class StartupError extends Error {
    readonly name = "StartupError";
}
/** The text of whatever was thrown; system errors without their call and path noise. */
export declare const reasonOf: (error: unknown) => string;
export declare const errorCode: (error: unknown) => string | undefined;
