import cluster from 'node:cluster'
import { type DestinationStream, destination, type Logger, pino, stdSerializers } from 'pino'
import { assertNever } from '../std/assert-never.ts'
import { isoText } from '../std/iso-text.ts'
import type { Observe, RequestObservation } from './observation.ts'

export type Log = {
  readonly observe: Observe
  /** for libraries that want a logger */
  readonly logger: Logger
  /** writes out what waits */
  readonly flush: () => void
}

type Output = DestinationStream & { readonly flushSync?: () => void }

const MAX_TEXT = 2_000
/** Lines that nobody takes away are dropped beyond this, rather than kept in memory. */
const MAX_WAITING_BYTES = 16 * 2 ** 20
/** Lines are written when there are this many bytes of them; each write costs as much as a small request. */
const LINES_TOGETHER_BYTES = 16_384
/** Where several processes write to one pipe, a write of up to this size is not torn apart by others' (pipe(7), PIPE_BUF). */
const LINES_TOGETHER_BYTES_IN_TURNS = 3_072
const MOST_BYTES_IN_TURNS = 4_096
const MAX_LINE_AGE_MS = 200

/** One JSON object a line, on standard output unless told otherwise. */
export function createLog(level: 'silent' | 'error' | 'warn' | 'info' | 'debug', to?: DestinationStream): Log {
  const stream: Output = to ?? createOutput()
  const logger = pino({ level, base: null, timestamp: () => `,"time":"${isoText(Date.now())}"`, serializers: { err: shortError } }, stream)
  return {
    logger,
    observe: fold(logger, stream),
    flush: () => stream.flushSync?.(),
  }
}

function createOutput(): Output {
  const size = cluster.isWorker
    ? { minLength: LINES_TOGETHER_BYTES_IN_TURNS, maxWrite: MOST_BYTES_IN_TURNS }
    : { minLength: LINES_TOGETHER_BYTES, maxWrite: 2 * LINES_TOGETHER_BYTES }
  // as text a line is put to those before it and the whole is measured anew, tens of times what it costs as bytes (its types know of text alone)
  const output = destination({ dest: 1, sync: false, maxLength: MAX_WAITING_BYTES, contentMode: 'buffer', ...size })
  // whoever read our lines may have gone; that is no reason to stop serving
  output.on('error', () => undefined)
  setInterval(() => output.flush(), MAX_LINE_AGE_MS).unref()
  return { write: (line) => void output.write(Buffer.from(line) as never), flushSync: () => output.flushSync() }
}

function fold(logger: Logger, stream: DestinationStream): Observe {
  return (observation) => {
    switch (observation.kind) {
      case 'request':
        // written by hand: most of all lines are of this kind, and the logger's way costs three times as much
        if (logger.isLevelEnabled('info')) stream.write(requestLine(observation))
        return
      case 'reflection': {
        const { version, relations, ms } = observation
        logger.debug({ version, relations, ms: Math.round(ms) }, 'schema reflected')
        return
      }
      case 'sweep': {
        const { kind: _, level, ...fields } = observation
        if (level !== null) logger[level](fields, 'swept')
        return
      }
      // counted, and too many for lines
      case 'traffic':
      case 'stage':
      case 'trip':
      case 'plan':
      case 'store':
        return
      case 'note':
        logger[observation.level]({ ...observation.details }, observation.message)
        return
      case 'failure':
        logger.error({ ...observation.details, requestId: observation.requestId, err: observation.error }, observation.message)
        return
      default:
        assertNever(observation)
    }
  }
}

/** As the logger would write it. */
function requestLine({ id, method, route, status, ms, role, bytes, aborted }: RequestObservation): string {
  return `{"level":${INFO},"time":"${isoText(Date.now())}","id":${quoted(id)},"method":${quoted(method)},"route":${quoted(route)},"status":${status},"ms":${Math.round(ms * 10) / 10},"role":${quoted(role)},"bytes":${bytes},"aborted":${aborted},"msg":"request"}\n`
}

/** What stands in JSON as it is, as nearly all ids, routes and roles do, costs a third of `JSON.stringify` to look at. */
const quoted = (text: string | null): string => (text !== null && PLAIN.test(text) ? `"${text}"` : JSON.stringify(text))

/** pino's number for the level */
const INFO = 30
const PLAIN = /^[\w\-./:*]*$/

/** Kind, words and place of an error, each of bounded length: what a driver or a client hung on it stays out. */
function shortError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error).slice(0, MAX_TEXT)
  const { type, message, stack } = stdSerializers.err(error)
  const sqlstate = 'sqlstate' in error ? error.sqlstate : undefined
  const code = 'code' in error ? error.code : undefined
  return { type, message: message.slice(0, MAX_TEXT), code, sqlstate, stack: stack.slice(0, 2 * MAX_TEXT) }
}
