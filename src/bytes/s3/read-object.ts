import { Readable } from 'node:stream'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import { type ByteRange, DamagedBytes, isVersionId, NoSuchBytes, StoreUnavailable, type VersionId } from '../byte-store.ts'
import type { S3Calls } from './s3-calls.ts'
import { fromS3, isMissingKey, statusOf } from './s3-error.ts'

const READ_AHEAD = 256 * 1024

/**
 * The bytes of a version as they come. They end as an error when there are fewer than were announced, or when none comes for as long as a
 * call may take; the time that the receiver takes does not count.
 * @throws NoSuchBytes, StoreUnavailable
 */
export async function readObject(s3: S3Calls, version: VersionId, range: ByteRange | null, signal: AbortSignal): Promise<Readable> {
  if (!isVersionId(version)) throw new NoSuchBytes(version)
  const wanted = range === null ? {} : { Range: `bytes=${range.first}-${range.last}` }
  const command = new GetObjectCommand({ Bucket: s3.bucket, Key: s3.keyOf(version), ...wanted })
  const { Body, ContentLength } = await s3
    .callToRead((client, options) => client.send(command, options), { signal })
    .catch((error) => {
      signal.throwIfAborted()
      if (isMissingKey(error)) throw new NoSuchBytes(version, { cause: error })
      if (statusOf(error) === 416) throw new DamagedBytes('the stored bytes are shorter than their object', { cause: error })
      throw fromS3(error)
    })
  if (!(Body instanceof Readable)) throw new StoreUnavailable('the byte store gave an answer without bytes')
  const expected = range === null ? ContentLength : range.last - range.first + 1
  if (expected === undefined || ContentLength !== expected) {
    Body.destroy()
    throw new DamagedBytes(`the store has ${ContentLength} bytes where ${expected} were asked for: they are shorter than their object`)
  }
  return bodyOf(Body, expected, s3.limits.callMs, signal)
}

function bodyOf(source: Readable, expected: number, idleMs: number, signal: AbortSignal): Readable {
  let left = expected
  let idle: NodeJS.Timeout | undefined
  const fail = (message: string, cause?: unknown) => body.destroy(new StoreUnavailable(message, { cause }))
  const expect = () => {
    clearTimeout(idle)
    idle = setTimeout(() => fail(`no byte came from the store within ${Math.ceil(idleMs / 1000)} s`), idleMs)
  }
  const body: Readable = new Readable({
    highWaterMark: READ_AHEAD,
    signal,
    read() {
      if (!source.isPaused() || source.readableEnded) return
      expect()
      source.resume()
    },
    destroy(error, done) {
      clearTimeout(idle)
      source.destroy()
      done(error)
    },
  })
  source.pause()
  source.on('data', (chunk: Buffer) => {
    left -= chunk.length
    idle?.refresh()
    if (body.push(chunk)) return
    clearTimeout(idle)
    source.pause()
  })
  source.on('end', () => {
    clearTimeout(idle)
    if (left === 0) body.push(null)
    else fail(`the store's answer has ${expected - left} bytes and not ${expected}`)
  })
  source.on('error', (error) => fail('the connection to the store broke', error))
  source.on('close', () => {
    if (!source.readableEnded) fail('the connection to the store broke')
  })
  return body
}
