import { StartupError } from '../config/startup-error.ts'

/** Progress and advice, kept apart from what a command answers. */
export const say = (line: string): void => console.error(`stowage: ${line}`)

/** What a command answers. */
export const print = (text: string): void => console.log(text)

/** A reason that the person can do something about as it is; a fault of ours with its place. */
export function complain(error: unknown): void {
  if (!(error instanceof StartupError)) say(`internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  else if (error.message.includes('\n')) say(`several things are wrong:\n${error.message.replaceAll(/^/gm, '  - ')}`)
  else say(error.message)
}

/** Names on the left, values in a column. */
export function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')
}
