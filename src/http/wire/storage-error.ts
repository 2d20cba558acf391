import { ServiceError } from '../../std/service-error.ts'
import { legacyStatus } from './legacy-status.ts'

/** The four members that every client reads at least one of, in the peer's order. */
export type StorageErrorBody = {
  readonly statusCode: string
  readonly error: string
  readonly message: string
  readonly code: string
}

export type DressedError = { readonly status: number; readonly body: StorageErrorBody }

export type StatusStyle = 'legacy' | 'real'

/** A named error in the peer's dress. */
export function dressError({ code, status, message }: ServiceError, style: StatusStyle): DressedError {
  const [error, shown] = WORDS[code] ?? [code, code]
  const told = style === 'legacy' && code === 'InvalidToken' ? REFUSED_TOKEN : status
  return {
    status: style === 'real' ? status : legacyStatus(status, code),
    body: { statusCode: String(told), error, message, code: shown },
  }
}

/** The peer calls a token that it does not accept forbidden. */
const REFUSED_TOKEN = 403

/** For what nobody named: our bug. Says nothing about it. */
export const internalError = (): ServiceError => new ServiceError('InternalError', 500, 'Internal Server Error')

/** The peer's two words for a code of ours, where they are not the code itself: its older tag, and its code. */
const WORDS: Readonly<Record<string, readonly [error: string, code: string]>> = {
  NoSuchBucket: ['Bucket not found', 'NoSuchBucket'],
  NoSuchKey: ['not_found', 'NoSuchKey'],
  NoSuchBytes: ['Not found', 'NoSuchKey'],
  RelatedResourceMissing: ['InvalidRequest', 'InvalidRequest'],
  AccessDenied: ['Unauthorized', 'AccessDenied'],
  InvalidRole: ['Unauthorized', 'AccessDenied'],
  InvalidToken: ['Unauthorized', 'AccessDenied'],
  UnknownRole: ['Unauthorized', 'AccessDenied'],
  KeyAlreadyExists: ['Duplicate', 'KeyAlreadyExists'],
  BucketAlreadyExists: ['Duplicate', 'BucketAlreadyExists'],
  ResourceAlreadyExists: ['Duplicate', 'ResourceAlreadyExists'],
  TooManyObjects: ['InvalidRequest', 'InvalidRequest'],
  InvalidBucketName: ['Invalid Input', 'InvalidBucketName'],
  InvalidShape: ['Error', 'InvalidRequest'],
  InvalidBody: ['FastifyError', 'InvalidRequest'],
  BodyTooLarge: ['FastifyError', 'EntityTooLarge'],
  InvalidRobotsTag: ['invalid_x_robots_tag', 'InvalidRequest'],
  InvalidHeaderValue: ['invalid_header_char', 'InvalidRequest'],
  EntityTooLarge: ['Payload too large', 'EntityTooLarge'],
  InvalidMimeType: ['invalid_mime_type', 'InvalidMimeType'],
  InvalidRange: ['invalid_range', 'InvalidRange'],
  NotFound: ['Not Found', 'InvalidRequest'],
  Aborted: ['Request aborted', 'Aborted'],
  InternalError: ['Internal', 'InternalError'],
}
