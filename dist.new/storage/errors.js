import { ServiceError } from '../std/service-error.js';
import { escapeControls } from './well-formed.js';
/**
 * The storage face's errors, one function each, named where they are understood. `status` is the true one;
 * `http/wire` folds it and adds the peer's word for the code.
 */
export const noSuchBucket = () => new ServiceError('NoSuchBucket', 404, 'Bucket not found');
export const noSuchKey = () => new ServiceError('NoSuchKey', 404, 'Object not found');
/** The row is there, its bytes are not: put in by SQL, or lost. */
export const bytesMissing = (options) => new ServiceError('NoSuchBytes', 404, 'The resource was not found', options);
/** A foreign key would dangle: the bucket of a new row does not exist. */
export const relatedResourceMissing = (options) => new ServiceError('RelatedResourceMissing', 404, 'The related resource does not exist', options);
export const accessDenied = (message = 'Access denied', options) => new ServiceError('AccessDenied', 403, message, options);
/** The route wants service_role; the one denial whose HTTP status is never folded. */
export const invalidRole = () => new ServiceError('InvalidRole', 403, 'Access denied: Invalid role');
export const keyAlreadyExists = (options) => new ServiceError('KeyAlreadyExists', 409, 'The resource already exists', options);
export const bucketAlreadyExists = (options) => new ServiceError('BucketAlreadyExists', 409, 'The resource already exists', options);
export const resourceAlreadyExists = (options) => new ServiceError('ResourceAlreadyExists', 409, 'The resource already exists', options);
export const bucketNotEmpty = () => new ServiceError('ResourceNotEmpty', 409, 'The bucket you tried to delete is not empty');
export const resourceReferenced = (options) => new ServiceError('ResourceReferenced', 409, 'The resource is referenced by another one', options);
export const tooManyToEmpty = () => new ServiceError('TooManyObjects', 409, 'Unable to empty the bucket because it contains too many objects');
export const bucketNameInvalid = () => new ServiceError('InvalidBucketName', 400, 'Bucket name invalid');
export const invalidKey = (key) => new ServiceError('InvalidKey', 400, `Invalid key: ${key}`);
/** `message` is what the JWT library said. */
export const invalidUrlToken = (message, options) => new ServiceError('InvalidJWT', 400, message, options);
export const invalidSignature = (message = 'Invalid signature') => new ServiceError('InvalidSignature', 400, message);
export const invalidParameter = (message, options) => new ServiceError('InvalidParameter', 400, message, options);
export const missingParameter = (what) => new ServiceError('MissingParameter', 400, `Missing Required Parameter ${what}`);
export const invalidRequest = (message, options) => new ServiceError('InvalidRequest', 400, message, options);
/** A request that its schema refuses; the words are the validator's. */
export const invalidShape = (message) => new ServiceError('InvalidShape', 400, message);
export const tooManyKeys = (limit) => invalidRequest(`Bulk object requests are limited to ${limit} objects per request.`);
export const invalidFileSize = () => invalidRequest('Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B');
export const noContent = () => invalidRequest('No content provided');
export const invalidRobotsTag = (why) => new ServiceError('InvalidRobotsTag', 400, `Invalid X-Robots-Tag header: ${why}`);
/** A value that could not be sent back in a header (RFC 9110 5.5). */
export const unusableHeaderValue = (what, value) => new ServiceError('InvalidHeaderValue', 400, `Invalid character in response header "${what}": ${escapeControls(value.slice(0, 50))}`);
export const entityTooLarge = (what = 'object') => new ServiceError('EntityTooLarge', 413, `The ${what} exceeded the maximum allowed size`);
export const mediaTypeNotAllowed = (type) => new ServiceError('InvalidMimeType', 415, `mime type ${type} is not supported`);
export const contentTypeMalformed = () => new ServiceError('InvalidMimeType', 415, 'Invalid Content-Type header');
export const preconditionFailed = () => new ServiceError('PreconditionFailed', 412, 'At least one of the preconditions you specified did not hold');
export const badDigest = () => new ServiceError('BadDigest', 400, 'The Content-MD5 you specified did not match what we received');
/** `size` goes into Content-Range (RFC 9110 15.5.17). */
export class RangeNotSatisfiable extends ServiceError {
    size;
    constructor(size) {
        super('InvalidRange', 416, 'invalid range provided');
        this.size = size;
    }
}
export const serviceWorkerRefused = () => invalidRequest('Objects are not served as service workers');
export const resourceLocked = (options) => new ServiceError('ResourceLocked', 423, 'The resource is locked', options);
/** The client went away; nobody reads this. */
export const clientGone = (options) => new ServiceError('Aborted', 499, 'Request aborted', options);
export const databaseTimeout = (options) => new ServiceError('DatabaseTimeout', 544, 'The connection to the database timed out', options);
export const databaseUnavailable = (options) => new ServiceError('DatabaseUnavailable', 503, 'The database is not available, try again later', options);
/** The bytes came, but the reservation had run out before their row was written: the caller may try again. */
export const uploadInterrupted = () => new ServiceError('UploadInterrupted', 503, 'The upload took too long, try again');
export const databaseReadOnly = (options) => new ServiceError('DatabaseReadOnly', 503, 'The database is read-only', options);
export const databaseSchemaMismatch = (message, options) => new ServiceError('DatabaseSchemaMismatch', 503, message, options);
export const databaseDefinitionInvalid = (message, options) => new ServiceError('DatabaseInvalidObjectDefinition', 503, message, options);
export const databaseError = (sqlstate, options) => new ServiceError('DatabaseError', 500, `database error, code: ${sqlstate}`, options);
