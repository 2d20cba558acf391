/** Why the service cannot run, in words for the person who started it: printed without a stack, exit code 1. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}

/** The text of whatever was thrown; system errors without their call and path noise. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
