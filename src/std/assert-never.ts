import { InvariantError } from './invariant.ts'

/** Closes a union: a new member makes the compiler name every place that must learn it. */
export function assertNever(value: never): never {
  throw new InvariantError(`unhandled case: ${JSON.stringify(value)}`)
}
