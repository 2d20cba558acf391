import { ServiceError } from '../std/service-error.ts'
import { escapeControls } from './well-formed.ts'

/**
 * The storage face's errors, one function each, named where they are understood. `status` is the true one;
 * `http/wire` folds it and adds the peer's word for the code.
 */

export const noSuchBucket = (): ServiceError => new ServiceError('NoSuchBucket', 404, 'Bucket not found')

export const noSuchKey = (): ServiceError => new ServiceError('NoSuchKey', 404, 'Object not found')

/** The row is there, its bytes are not: put in by SQL, or lost. */
export const bytesMissing = (options?: ErrorOptions): ServiceError =>
  new ServiceError('NoSuchBytes', 404, 'The resource was not found', options)

/** The bytes are there, and are not those that were written. */
export const bytesDamaged = (options?: ErrorOptions): ServiceError =>
  new ServiceError('DamagedBytes', 500, 'The stored bytes of the object are damaged', options)

/** A foreign key would dangle: the bucket of a new row does not exist. */
export const relatedResourceMissing = (options?: ErrorOptions): ServiceError =>
  new ServiceError('RelatedResourceMissing', 404, 'The related resource does not exist', options)

/** A table of the owner's refers to it: the message is PostgreSQL's. */
export const resourceReferenced = (message: string, options?: ErrorOptions): ServiceError =>
  new ServiceError('ResourceReferenced', 409, message, options)

export const accessDenied = (message = 'Access denied', options?: ErrorOptions): ServiceError =>
  new ServiceError('AccessDenied', 403, message, options)

/** The route wants service_role; the one denial whose HTTP status is never folded. */
export const invalidRole = (): ServiceError => new ServiceError('InvalidRole', 403, 'Access denied: Invalid role')

export const keyAlreadyExists = (options?: ErrorOptions): ServiceError =>
  new ServiceError('KeyAlreadyExists', 409, 'The resource already exists', options)

export const bucketAlreadyExists = (options?: ErrorOptions): ServiceError =>
  new ServiceError('BucketAlreadyExists', 409, 'The resource already exists', options)

export const resourceAlreadyExists = (options?: ErrorOptions): ServiceError =>
  new ServiceError('ResourceAlreadyExists', 409, 'The resource already exists', options)

export const bucketNotEmpty = (): ServiceError => new ServiceError('ResourceNotEmpty', 409, 'The bucket you tried to delete is not empty')

export const tooManyToEmpty = (): ServiceError =>
  new ServiceError('TooManyObjects', 409, 'Unable to empty the bucket because it contains too many objects')

export const bucketNameInvalid = (): ServiceError => new ServiceError('InvalidBucketName', 400, 'Bucket name invalid')

export const invalidKey = (key: string): ServiceError => new ServiceError('InvalidKey', 400, `Invalid key: ${key}`)

export const invalidSignature = (message = 'Invalid signature'): ServiceError => new ServiceError('InvalidSignature', 400, message)

export const invalidParameter = (message: string, options?: ErrorOptions): ServiceError =>
  new ServiceError('InvalidParameter', 400, message, options)

export const missingParameter = (what: string): ServiceError =>
  new ServiceError('MissingParameter', 400, `Missing Required Parameter ${what}`)

export const invalidRequest = (message: string, options?: ErrorOptions): ServiceError =>
  new ServiceError('InvalidRequest', 400, message, options)

/** A request that its schema refuses; the words are the validator's. */
export const invalidShape = (message: string): ServiceError => new ServiceError('InvalidShape', 400, message)

export const tooManyKeys = (limit: number): ServiceError =>
  invalidRequest(`Bulk object requests are limited to ${limit} objects per request.`)

export const tooManyMediaTypes = (limit: number): ServiceError =>
  new ServiceError('EntityTooLarge', 413, `allowed_mime_types may have ${limit} characters altogether`)

export const invalidFileSize = (): ServiceError => invalidRequest('Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B')

export const noContent = (): ServiceError => invalidRequest('No content provided')

export const invalidRobotsTag = (why: string): ServiceError =>
  new ServiceError('InvalidRobotsTag', 400, `Invalid X-Robots-Tag header: ${why}`)

/** A value that could not be sent back in a header (RFC 9110 5.5). */
export const unusableHeaderValue = (what: string, value: string): ServiceError =>
  new ServiceError('InvalidHeaderValue', 400, `Invalid character in response header "${what}": ${escapeControls(value.slice(0, 50))}`)

export const entityTooLarge = (what = 'object'): ServiceError =>
  new ServiceError('EntityTooLarge', 413, `The ${what} exceeded the maximum allowed size`)

export const mediaTypeNotAllowed = (type: string): ServiceError =>
  new ServiceError('InvalidMimeType', 415, `mime type ${type} is not supported`)

export const contentTypeMalformed = (): ServiceError => new ServiceError('InvalidMimeType', 415, 'Invalid Content-Type header')

export const preconditionFailed = (): ServiceError =>
  new ServiceError('PreconditionFailed', 412, 'At least one of the preconditions you specified did not hold')

export const badDigest = (): ServiceError =>
  new ServiceError('BadDigest', 400, 'The Content-MD5 you specified did not match what we received')

/** `size` goes into Content-Range (RFC 9110 15.5.17). */
export class RangeNotSatisfiable extends ServiceError {
  readonly size: number
  constructor(size: number) {
    super('InvalidRange', 416, 'invalid range provided')
    this.size = size
  }
}

export const serviceWorkerRefused = (): ServiceError => invalidRequest('Objects are not served as service workers')

export const resourceLocked = (options?: ErrorOptions): ServiceError =>
  new ServiceError('ResourceLocked', 423, 'The resource is locked', options)

/** The client went away; nobody reads this. */
export const clientGone = (options?: ErrorOptions): ServiceError => new ServiceError('Aborted', 499, 'Request aborted', options)

export const storeFull = (options?: ErrorOptions): ServiceError =>
  new ServiceError('StoreFull', 507, 'There is no room left to store the object', options)

/** Why is for the log: a store's words may name its address. */
export class StoreBusy extends ServiceError {
  /** null: any time */
  readonly retryAfterSeconds: number | null
  constructor(retryAfterSeconds: number | null, options?: ErrorOptions) {
    super('StoreBusy', 503, 'The store of objects does not answer, try again later', options)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export const storeBroken = (options?: ErrorOptions): ServiceError =>
  new ServiceError('StoreBroken', 500, 'The store of objects has failed', options)

export const databaseTimeout = (options?: ErrorOptions): ServiceError =>
  new ServiceError('DatabaseTimeout', 544, 'The connection to the database timed out', options)

export const databaseUnavailable = (options?: ErrorOptions): ServiceError =>
  new ServiceError('DatabaseUnavailable', 503, 'The database is not available, try again later', options)

/** The bytes came, but the reservation had run out before their row was written: the caller may try again. */
export const uploadInterrupted = (): ServiceError => new ServiceError('UploadInterrupted', 503, 'The upload took too long, try again')

export const databaseReadOnly = (options?: ErrorOptions): ServiceError =>
  new ServiceError('DatabaseReadOnly', 503, 'The database is read-only', options)

export const databaseSchemaMismatch = (message: string, options?: ErrorOptions): ServiceError =>
  new ServiceError('DatabaseSchemaMismatch', 503, message, options)

export const databaseDefinitionInvalid = (message: string, options?: ErrorOptions): ServiceError =>
  new ServiceError('DatabaseInvalidObjectDefinition', 503, message, options)

export const databaseError = (sqlstate: string, options?: ErrorOptions): ServiceError =>
  new ServiceError('DatabaseError', 500, `database error, code: ${sqlstate}`, options)
