import type { LogMessage } from './log-messages.ts'

/** What is worth telling an operator. Logs and metrics are folds over it; nothing of a token, a key or a body is in it. */
export type Observation =
  | RequestObservation
  | TrafficObservation
  | StageObservation
  | TripObservation
  | PlanObservation
  | StoreObservation
  | ReflectionObservation
  | SweepObservation
  | NoteObservation
  | FailureObservation

export type RequestObservation = {
  readonly kind: 'request'
  readonly id: string
  readonly method: string
  /** the route's template, never the address; null when no route fits */
  readonly route: string | null
  readonly status: number
  readonly ms: number
  /** null: no token was looked at */
  readonly role: string | null
  /** of the response's body, as announced */
  readonly bytes: number | null
  /** the client left before it had its answer */
  readonly aborted: boolean
}

/** What went over the wire for one request, headers and all. */
export type TrafficObservation = { readonly kind: 'traffic'; readonly received: number; readonly sent: number }

/** Parts of a request that are timed: who asks, what it comes to, PostgreSQL with the wait for a connection, the byte store. */
export const STAGES = ['auth', 'plan', 'database', 'bytes'] as const
export type Stage = (typeof STAGES)[number]

export type StageObservation = { readonly kind: 'stage'; readonly stage: Stage; readonly ms: number; readonly failed: boolean }

/** One round trip to PostgreSQL. */
export type TripObservation = {
  readonly kind: 'trip'
  readonly login: 'web' | 'service'
  /** `ok`, `refused` by PostgreSQL, `cancelled` by the caller's leaving, or why there was no answer */
  readonly outcome: 'ok' | 'refused' | 'cancelled' | UnavailableReason
}

type UnavailableReason = 'unreachable' | 'connection lost' | 'pool exhausted' | 'deadline passed' | 'shutting down'

/** Whether a GraphQL request found its plan made. */
export type PlanObservation = { readonly kind: 'plan'; readonly cached: boolean }

/** Bytes of objects that moved. */
export type StoreObservation = { readonly kind: 'store'; readonly operation: 'put' | 'get' | 'copy'; readonly bytes: number }

/** The database's schema was read anew. */
export type ReflectionObservation = {
  readonly kind: 'reflection'
  readonly version: string
  readonly relations: number
  readonly ms: number
}

/** A pass of the sweeper. */
export type SweepObservation = {
  readonly kind: 'sweep'
  /** why nothing was removed at all; null: the pass ran */
  readonly idle: string | null
  readonly expired: number
  readonly removed: number
  readonly postponed: number
  /** only in a dry run */
  readonly left: number
  /** why the listing of the store condemned nothing; null: nothing spoke against it */
  readonly orphansRefused: string | null
  /** null: not worth a line */
  readonly level: 'debug' | 'info' | 'warn' | null
}

/** Something that happened, as words and numbers of ours. */
export type NoteObservation = {
  readonly kind: 'note'
  readonly level: 'debug' | 'info' | 'warn'
  readonly message: LogMessage
  readonly details?: Readonly<Record<string, string | number | boolean | null>>
}

/** Something that should not have happened. */
export type FailureObservation = {
  readonly kind: 'failure'
  readonly message: LogMessage
  readonly error: unknown
  readonly requestId?: string
  readonly details?: Readonly<Record<string, string | number | boolean | null>>
}

export type Observe = (observation: Observation) => void
