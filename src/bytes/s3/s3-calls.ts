import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import { type Milliseconds, milliseconds } from '../../std/brand.ts'
import { StoreUnavailable, type VersionId } from '../byte-store.ts'
import { createRetryStrategy } from './retry-strategy.ts'

export type S3Place = {
  readonly bucket: string
  /** null: AWS itself */
  readonly endpoint: string | null
  /** null: as the SDK finds it (AWS_REGION, profile) */
  readonly region: string | null
  /** the bucket's name in the path and not in the host name, as most servers that are not AWS want it */
  readonly pathStyle: boolean
  /** before every key; empty, or ending in a slash */
  readonly prefix: string
  /** null: the SDK's own chain (environment, profile, web identity, container, machine) */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null
}

export type S3Limits = {
  /** of one call, tries included; for bodies on their way in: without a byte */
  readonly callMs: Milliseconds
  /** of what the store does alone with a whole object: putting its parts together, copying it */
  readonly objectMs: Milliseconds
}

export type CallOptions = { readonly signal?: AbortSignal; readonly limitMs?: Milliseconds }
type SendOptions = { readonly abortSignal: AbortSignal; readonly requestTimeout: number }

/** One bucket, and how it is spoken to. */
export type S3Calls = {
  readonly bucket: string
  readonly prefix: string
  readonly limits: S3Limits
  /** as the folder store lays files out, so that one can be copied onto the other by any tool */
  readonly keyOf: (version: VersionId) => string
  /**
   * Within its limit, whatever happens; an SDK error comes as it is.
   * @throws the signal's reason; StoreUnavailable when the time is over
   */
  readonly call: <Output>(send: (client: S3Client, options: SendOptions) => Promise<Output>, options?: CallOptions) => Promise<Output>
  /** likewise, over connections of their own: readers may be slow, and must not keep writers waiting */
  readonly callToRead: S3Calls['call']
  readonly close: () => void
}

const CONNECT_LIMIT_MS = 5_000
const WRITE_CONNECTIONS = 128
const READ_CONNECTIONS = 1_024

export function createS3Calls(place: S3Place, limits: S3Limits): S3Calls {
  const { bucket, prefix } = place
  const writer = new S3Client(clientConfig(place, limits, WRITE_CONNECTIONS))
  const reader = new S3Client(clientConfig(place, limits, READ_CONNECTIONS))
  return {
    bucket,
    prefix,
    limits,
    keyOf: (version) => `${prefix}${version.slice(0, 2)}/${version.slice(2, 4)}/${version}`,
    call: (send, options) => withinLimit((sending) => send(writer, sending), limits, options),
    callToRead: (send, options) => withinLimit((sending) => send(reader, sending), limits, options),
    close: () => {
      writer.destroy()
      reader.destroy()
    },
  }
}

function clientConfig({ endpoint, region, pathStyle, credentials }: S3Place, { callMs }: S3Limits, maxSockets: number): S3ClientConfig {
  const agent = { keepAlive: true, maxSockets }
  return {
    ...(endpoint === null ? {} : { endpoint, region: region ?? 'us-east-1' }),
    ...(region === null ? {} : { region }),
    ...(credentials === null ? {} : { credentials }),
    forcePathStyle: pathStyle,
    retryStrategy: createRetryStrategy(),
    // MD5 does it on every store there is; trailing CRCs are unknown to many
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // waiting for leave to send would cost a connection of its own for every part
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: CONNECT_LIMIT_MS,
      requestTimeout: tryLimit(callMs),
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  }
}

/** So that a call that hangs can be tried once more within its limit. */
const tryLimit = (limitMs: number): number => Math.ceil(limitMs / 2)

async function withinLimit<Output>(
  send: (options: SendOptions) => Promise<Output>,
  { callMs }: S3Limits,
  { signal, limitMs = callMs }: CallOptions = {},
): Promise<Output> {
  signal?.throwIfAborted()
  const ending = new AbortController()
  const leave = () => ending.abort(signal?.reason)
  signal?.addEventListener('abort', leave, { once: true })
  const timer = setTimeout(
    () => ending.abort(new StoreUnavailable(`the byte store did not answer within ${Math.ceil(limitMs / 1000)} s`)),
    limitMs,
  )
  // the SDK does not look at the signal while it waits to try again
  const ended = new Promise<never>((_, reject) =>
    ending.signal.addEventListener('abort', () => reject(ending.signal.reason), { once: true }),
  )
  try {
    return await Promise.race([send({ abortSignal: ending.signal, requestTimeout: tryLimit(limitMs) }), ended])
  } catch (error) {
    throw ending.signal.aborted ? ending.signal.reason : error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', leave)
  }
}

/** For what must still be tidied up when whoever asked has gone. */
export const TIDY_LIMIT = milliseconds(10_000)
