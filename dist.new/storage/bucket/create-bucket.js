import { allowedMediaTypes } from '../admit.js';
import { askAsCaller } from '../ask.js';
import { fromDatabase, sqlstateOf, UNIQUE_VIOLATION } from '../database-error.js';
import { bucketAlreadyExists } from '../errors.js';
import { newBucketId } from '../key.js';
import { fileSizeLimit } from '../limits.js';
import { insertBucket } from '../rows/buckets.sql.js';
/** @throws InvalidBucketName, EntityTooLarge, InvalidMimeType, AccessDenied, BucketAlreadyExists */
export async function createBucket(deps, call, command, signal) {
    const name = newBucketId(command.name);
    const bucket = {
        id: command.id === '' ? name : newBucketId(command.id),
        name,
        ownerId: call.as.subject,
        public: command.public,
        fileSizeLimit: command.fileSizeLimit === null ? null : fileSizeLimit(command.fileSizeLimit, deps.limits.maxObjectBytes),
        allowedMediaTypes: command.allowedMediaTypes && allowedMediaTypes(command.allowedMediaTypes),
    };
    await askAsCaller(deps, call, [insertBucket(bucket)], signal, 'commit', (error) => sqlstateOf(error) === UNIQUE_VIOLATION ? bucketAlreadyExists({ cause: error }) : fromDatabase(error));
}
