import type { Outcome } from './outcome.ts'
import type { Payload, SendOptions } from './raw.ts'
import type { World } from './world.ts'

type Row = {
  /** as in the list of ids; several entries may be variants of one */
  readonly id: string
  readonly what: string
  /** why the outcome is another than the one usually asked for */
  readonly note?: string
  /** for minutes or for machines that have room: run with ATTACKS=all */
  readonly long?: true
  /** answers of 500 and above that are right here */
  readonly mayAnswer?: readonly number[]
  /** the service is right to log an error here */
  readonly alarms?: true
  /** the longest the service's event loop may be kept, milliseconds */
  readonly maxLoopDelay?: number
  /** objects of the row are damaged on purpose */
  readonly damages?: true
}

export type Bytes = Payload | readonly Payload[]

/** One attack: bytes and what must come of them, or a play of several scenes that asserts for itself. */
export type Attack = Row &
  (
    | { readonly send: Bytes | ((world: World) => Bytes | Promise<Bytes>); readonly outcome: Outcome; readonly options?: SendOptions }
    | { readonly play: (world: World) => Promise<void> }
  )

/** Variants of one attack that differ in one thing. */
export const each = <T>(things: readonly T[], attack: (thing: T, shown: string) => Attack): readonly Attack[] =>
  things.map((thing) => attack(thing, shown(thing)))

export function shown(thing: unknown): string {
  const text = typeof thing === 'string' ? thing : (JSON.stringify(thing) ?? String(thing))
  const plain = text.replace(/[^\x20-\x7e]/g, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
  return plain.length > 70 ? `${plain.slice(0, 60)}… (${text.length})` : plain
}
