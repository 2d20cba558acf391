import { StoreUnavailable } from '../bytes/byte-store.ts'
import { type LOG_MESSAGES, TRIED_AGAIN } from '../observe/log-messages.ts'
import type { NoteObservation, Observation, Observe } from '../observe/observation.ts'
import { PgUnavailable } from '../pg/pg-error.ts'
import { assertNever } from '../std/assert-never.ts'
import { ServiceError } from '../std/service-error.ts'
import type { StorageObservation } from '../storage/deps.ts'
import type { SweepObservation } from '../storage/sweep/sweeper.ts'

/** What the storage face tells, as an operator's log has it: alarms are failures. */
export const observeStorage =
  (observe: Observe) =>
  (observation: StorageObservation): void => {
    switch (observation.kind) {
      case 'bytes missing': {
        const { bucket, version } = observation
        observe({ kind: 'failure', message: 'an object has no bytes in the store', error: null, details: { bucket, version } })
        return
      }
      case 'bytes damaged': {
        const { bucket, version, why } = observation
        observe({ kind: 'failure', message: 'the stored bytes of an object are damaged', error: null, details: { bucket, version, why } })
        return
      }
      case 'store failed':
        observe(inBackground('the store of bytes failed', observation.error))
        return
      case 'upload given up':
        observe({ kind: 'failure', message: 'bytes were stored and could not be published', error: observation.error })
        return
      case 'bucket emptied': {
        const { bucket, objects, done } = observation
        observe({
          kind: 'note',
          level: 'info',
          message: done ? 'a bucket was emptied' : 'a bucket is being emptied',
          details: { bucket, objects },
        })
        return
      }
      case 'emptying failed': {
        const { bucket, error } = observation
        const message =
          error === null ? 'a bucket is not emptied on, since that was asked for on another cluster' : 'a bucket could not be emptied on'
        observe(inBackground(message, error, { bucket }))
        return
      }
      case 'objects deleted': {
        const { bucket, keys, of } = observation
        observe({ kind: 'note', level: 'info', message: 'objects are being deleted', details: { bucket, keys, of } })
        return
      }
      case 'copying': {
        const { bucket, bytes } = observation
        observe({ kind: 'note', level: 'info', message: 'an object is being copied', details: { bucket, bytes } })
        return
      }
      default:
        assertNever(observation)
    }
  }

/** A pass that did nothing is not worth a line, and why none is done is worth one when it changes. */
export function observeSweep(observe: Observe): (observation: SweepObservation) => void {
  let lastIdle: string | null = null
  return (observation) => {
    if (observation.kind === 'sweep failed') {
      observe(inBackground('the sweeper could not do its work', observation.error))
      return
    }
    const { idle, expired, outbox, scan } = observation.report
    const { removed, postponed, left } = outbox
    const orphansRefused = scan?.refused ?? null
    const isNews = idle !== lastIdle
    lastIdle = idle
    const didNothing = (idle === null || !isNews) && expired === 0 && removed === 0 && postponed === 0 && scan === null
    const otherSweeps = idle === 'another process is sweeping'
    const isOdd = orphansRefused !== null || postponed > 0 || (idle !== null && !otherSweeps)
    const level = didNothing ? null : isOdd ? 'warn' : otherSweeps ? 'debug' : 'info'
    observe({ kind: 'sweep', idle, expired, removed, postponed, left, orphansRefused, level })
  }
}

/** Work that is tried again by itself: a server that is away for a while is worth a line, and no alarm. */
function inBackground(
  message: keyof typeof LOG_MESSAGES,
  error: unknown,
  details: NonNullable<NoteObservation['details']> = {},
): Observation {
  const isAway =
    error instanceof PgUnavailable || error instanceof StoreUnavailable || (error instanceof ServiceError && error.status === 503)
  return isAway
    ? { kind: 'note', level: 'warn', message: `${message}${TRIED_AGAIN}`, details: { ...details, reason: error.message } }
    : { kind: 'failure', message, error, details }
}
