import { ServiceError } from '../std/service-error.ts';
/**
 * The storage face's errors, one function each, named where they are understood. `status` is the true one;
 * `http/wire` folds it and adds the peer's word for the code.
 */
export declare const noSuchBucket: () => ServiceError;
export declare const noSuchKey: () => ServiceError;
/** The row is there, its bytes are not: put in by SQL, or lost. */
export declare const bytesMissing: (options?: ErrorOptions) => ServiceError;
/** A foreign key would dangle: the bucket of a new row does not exist. */
export declare const relatedResourceMissing: (options?: ErrorOptions) => ServiceError;
export declare const accessDenied: (message?: string, options?: ErrorOptions) => ServiceError;
/** The route wants service_role; the one denial whose HTTP status is never folded. */
export declare const invalidRole: () => ServiceError;
export declare const keyAlreadyExists: (options?: ErrorOptions) => ServiceError;
export declare const bucketAlreadyExists: (options?: ErrorOptions) => ServiceError;
export declare const resourceAlreadyExists: (options?: ErrorOptions) => ServiceError;
export declare const bucketNotEmpty: () => ServiceError;
export declare const resourceReferenced: (options?: ErrorOptions) => ServiceError;
export declare const tooManyToEmpty: () => ServiceError;
export declare const bucketNameInvalid: () => ServiceError;
export declare const invalidKey: (key: string) => ServiceError;
/** `message` is what the JWT library said. */
export declare const invalidUrlToken: (message: string, options?: ErrorOptions) => ServiceError;
export declare const invalidSignature: (message?: string) => ServiceError;
export declare const invalidParameter: (message: string, options?: ErrorOptions) => ServiceError;
export declare const missingParameter: (what: string) => ServiceError;
export declare const invalidRequest: (message: string, options?: ErrorOptions) => ServiceError;
/** A request that its schema refuses; the words are the validator's. */
export declare const invalidShape: (message: string) => ServiceError;
export declare const tooManyKeys: (limit: number) => ServiceError;
export declare const invalidFileSize: () => ServiceError;
export declare const noContent: () => ServiceError;
export declare const invalidRobotsTag: (why: string) => ServiceError;
/** A value that could not be sent back in a header (RFC 9110 5.5). */
export declare const unusableHeaderValue: (what: string, value: string) => ServiceError;
export declare const entityTooLarge: (what?: string) => ServiceError;
export declare const mediaTypeNotAllowed: (type: string) => ServiceError;
export declare const contentTypeMalformed: () => ServiceError;
export declare const preconditionFailed: () => ServiceError;
export declare const badDigest: () => ServiceError;
/** `size` goes into Content-Range (RFC 9110 15.5.17). */
export declare class RangeNotSatisfiable extends ServiceError {
    readonly size: number;
    constructor(size: number);
}
export declare const serviceWorkerRefused: () => ServiceError;
export declare const resourceLocked: (options?: ErrorOptions) => ServiceError;
/** The client went away; nobody reads this. */
export declare const clientGone: (options?: ErrorOptions) => ServiceError;
export declare const databaseTimeout: (options?: ErrorOptions) => ServiceError;
export declare const databaseUnavailable: (options?: ErrorOptions) => ServiceError;
/** The bytes came, but the reservation had run out before their row was written: the caller may try again. */
export declare const uploadInterrupted: () => ServiceError;
export declare const databaseReadOnly: (options?: ErrorOptions) => ServiceError;
export declare const databaseSchemaMismatch: (message: string, options?: ErrorOptions) => ServiceError;
export declare const databaseDefinitionInvalid: (message: string, options?: ErrorOptions) => ServiceError;
export declare const databaseError: (sqlstate: string, options?: ErrorOptions) => ServiceError;
