import { allowedMediaTypes } from '../admit.js';
import { askAsCaller } from '../ask.js';
import { noSuchBucket } from '../errors.js';
import { fileSizeLimit } from '../limits.js';
import { updateBucket as updateStatement } from '../rows/buckets.sql.js';
/** @throws EntityTooLarge, InvalidMimeType; NoSuchBucket when it is missing or the caller may not change it */
export async function updateBucket(deps, call, id, command, signal) {
    const { fileSizeLimit: limit, allowedMediaTypes: types } = command;
    const changes = {
        ...(command.public === undefined ? {} : { public: command.public }),
        ...(limit === undefined ? {} : { fileSizeLimit: limit === null ? null : fileSizeLimit(limit, deps.limits.maxObjectBytes) }),
        ...(types === undefined ? {} : { allowedMediaTypes: types && allowedMediaTypes(types) }),
    };
    const [rows] = await askAsCaller(deps, call, [updateStatement(id, changes)], signal);
    if (!rows?.[0])
        throw noSuchBucket();
}
