/** Why the service cannot run, in words for the person who started it: printed without a stack, exit code 1. */
export class StartupError extends Error {
    name = 'StartupError';
}
/** The text of whatever was thrown; system errors without their call and path noise. */
export const reasonOf = (error) => (error instanceof Error ? error.message : String(error));
export const errorCode = (error) => error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
