import type { IncomingMessage } from 'node:http'
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import type { Bytes } from '../../std/brand.ts'
import type { ServiceError } from '../../std/service-error.ts'
import { entityTooLarge, invalidRequest, noContent } from '../../storage/errors.ts'
import type { Arrival, ArrivalFields } from '../../storage/object/upload-object.ts'
import { userMetadata } from '../../storage/user-metadata.ts'
import { contentLength } from './upload-headers.ts'

const MAX_FIELDS = 10
const MAX_PARTS = 50
const MAX_PART_HEADER_BYTES = 16_384
/**
 * So much of a form is received from its file on before anybody is asked about it: clients send fields behind small files that permission may depend on. Who sends it
 * slowly, or in pieces that are small (each holds memory of its own), is not waited for as long.
 */
const AHEAD = { bytes: 128 * 1024, pieces: 128, ms: 2_000 }
/** What is received of a part that is passed over comes in several chunks at once: beyond this the parser stops for good. */
const PART_BUFFER_BYTES = 256 * 1024

/** What counts is one value a name: a field that is sent twice says nothing, as at the peer. */
type Fields = Map<string, readonly string[]>

/** The peer's words for a form that ends, or has too many fields, before its file is whole. */
const brokenOff = (): ServiceError => invalidRequest('Request stream closed before upload could begin')

/**
 * A form (RFC 7578) up to the first 128 KiB from its first file on, or whole where that is shorter; the name of that part does not matter. The fields `cacheControl`,
 * `metadata` (or `userMetadata`) and `contentType` describe it; they may stand behind it as well as before it. Further files are passed over.
 * @throws InvalidRequest for a broken form and one without a file; EntityTooLarge for a field over its limit
 */
export function openForm(raw: IncomingMessage, maxUserMetadataBytes: Bytes, signal: AbortSignal): Promise<Arrival> {
  return new Promise((resolve, reject) => {
    const fields: Fields = new Map()
    const form = createParser(raw, maxUserMetadataBytes)
    let file = null as BusboyFileStream | null
    let partType = ''
    let patience: NodeJS.Timeout | undefined
    let received = false
    let count = 0
    let finish: () => void = () => {}
    let breakOff: (error: unknown) => void = () => {}
    const ended = new Promise<void>((done, stop) => {
      finish = done
      breakOff = stop
    })
    // a form may break while nobody waits for its end
    ended.catch(() => undefined)

    const fail = (error: unknown) => {
      stopWaiting()
      raw.unpipe(form)
      file?.destroy(error as Error)
      breakOff(error)
      reject(error)
    }
    form.on('field', (name: string | undefined, value: string, _nameTruncated: boolean, valueTruncated: boolean) => {
      if (!isKnown(name)) return
      count++
      if (valueTruncated) fail(entityTooLarge(name === 'cacheControl' || name === 'contentType' ? name : 'user_metadata'))
      else fields.set(name, [...(fields.get(name) ?? []), value])
    })
    form.on('fieldsLimit', () => fail(brokenOff()))
    form.on('partsLimit', () => fail(brokenOff()))
    form.on('file', (_name: string | undefined, stream: BusboyFileStream, _fileName: string, _encoding: string, type: string) => {
      patience = setTimeout(arrive, AHEAD.ms)
      file = stream
      partType = type
      // its parser tells of errors by the event alone, whether anybody listens or not
      stream.on('error', () => stream.destroy(brokenOff()))
    })
    const arrive = () => {
      stopWaiting()
      if (!file) return
      const before = count
      try {
        resolve({
          ...describe(fields, partType, maxUserMetadataBytes),
          size: null,
          announcedLength: contentLength(raw.headers),
          md5: null,
          body: file,
          behind: async () => {
            await ended
            return count === before ? null : describe(fields, partType, maxUserMetadataBytes)
          },
        })
      } catch (error) {
        fail(error)
      }
    }
    form.on('finish', () => {
      finish()
      reject(noContent())
    })
    form.on('error', (error: unknown) => {
      if (file) fail(brokenOff())
      else fail(received ? invalidRequest(messageOf(error)) : noContent())
    })
    raw.once('data', () => {
      received = true
    })
    signal.addEventListener('abort', () => fail(signal.reason), { once: true })
    raw.pipe(form)
    let ahead = 0
    let pieces = 0
    const look = (chunk: Buffer) => {
      if (!file) return
      ahead += chunk.length
      pieces++
      if (ahead >= AHEAD.bytes || pieces >= AHEAD.pieces) arrive()
    }
    const lookLater = () => void setImmediate(arrive)
    const stopWaiting = () => {
      clearTimeout(patience)
      raw.off('data', look)
      raw.off('end', lookLater)
    }
    // behind the pipe's own listeners: what came has been parsed
    raw.on('data', look)
    raw.on('end', lookLater)
  })
}

/** @throws InvalidRequest without a boundary */
function createParser(raw: IncomingMessage, maxUserMetadataBytes: Bytes): BusboyInstance {
  const { headers } = raw
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      limits: { fields: MAX_FIELDS, files: 1, parts: MAX_PARTS, fieldSize: maxUserMetadataBytes, headerSize: MAX_PART_HEADER_BYTES },
      fileHwm: PART_BUFFER_BYTES,
    })
  } catch (error) {
    throw invalidRequest(messageOf(error))
  }
}

const KNOWN = new Set(['cacheControl', 'metadata', 'userMetadata', 'contentType'])

const isKnown = (name: string | undefined): name is string => name !== undefined && KNOWN.has(name)

/** A form's cacheControl is a number of seconds, but goes behind `max-age=` whatever it is. @throws as {@link userMetadata} */
function describe(fields: Fields, partType: string, maxUserMetadataBytes: Bytes): ArrivalFields {
  const cacheControl = only(fields, 'cacheControl')
  return {
    mediaType: only(fields, 'contentType') || partType,
    cacheControl: cacheControl ? `max-age=${cacheControl}` : 'no-cache',
    userMetadata: userMetadata(only(fields, 'metadata') ?? only(fields, 'userMetadata'), maxUserMetadataBytes),
  }
}

function only(fields: Fields, name: string): string | undefined {
  const values = fields.get(name)
  return values?.length === 1 ? values[0] : undefined
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'Broken multipart data')
