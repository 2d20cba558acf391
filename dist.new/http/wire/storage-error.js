import { ServiceError } from '../../std/service-error.js';
import { legacyStatus } from './legacy-status.js';
/** A named error in the peer's dress. */
export function dressError({ code, status, message }, style) {
    const [error, shown] = WORDS[code] ?? [code, code];
    return {
        status: style === 'real' ? status : legacyStatus(status, code),
        body: { statusCode: String(status), error, message, code: shown },
    };
}
/** For what nobody named: our bug, or a disk that failed. Says nothing about it. */
export const internalError = () => new ServiceError('InternalError', 500, 'Internal Server Error');
/** The peer's two words for a code of ours, where they are not the code itself: its older tag, and its code. */
const WORDS = {
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
};
