import { admitCacheControl, admitStored, maxStoredBytes } from '../admit.js';
import { askAsCaller, askAsService } from '../ask.js';
import { bytesMissing, noSuchKey, relatedResourceMissing } from '../errors.js';
import { UNKNOWN_TYPE } from '../media-type.js';
import { findUploadRules, uploadRules } from '../rows/buckets.sql.js';
import { reserveVersion } from '../rows/ledger.sql.js';
import { findObject, foundObject, tryCopyNew, tryCopyOver } from '../rows/objects.sql.js';
import { versionId } from '../version.js';
import { objectMetadata } from './object-metadata.js';
import { giveUp, publish } from './publish.js';
import { copyBytes } from './take-bytes.js';
import { keyTaken } from './write-permission.js';
/**
 * A new version with the bytes of the source, as the caller's own object. The target bucket must take it.
 * @throws NoSuchKey for a source that is missing or that the caller may not read; AccessDenied, KeyAlreadyExists, RelatedResourceMissing,
 * EntityTooLarge, InvalidMimeType, NoSuchBytes
 */
export async function copyObject(deps, call, command, signal) {
    const source = await authorise(deps, call, command, signal);
    const described = describe(command, source);
    admitCacheControl(described.cacheControl);
    const version = deps.newVersion();
    const { toBucket, toKey } = command;
    const [rows] = await askAsService(deps, call, [findUploadRules(toBucket, toKey), reserveVersion(version, toBucket, toKey)], signal);
    try {
        const rules = uploadRules(rows?.[0]);
        if (!rules)
            throw relatedResourceMissing();
        admitStored({ size: source.size, mediaType: described.mediaType }, toKey, rules, deps.limits);
        const stored = await copySource(deps, call, command, source, version, rules, signal);
        return await publish(deps, call, command.mode === 'replace' ? { kind: 'always' } : { kind: 'never' }, {
            version,
            bucketId: toBucket,
            key: toKey,
            ownerId: call.as.subject,
            metadata: objectMetadata(described, stored, deps.now()),
            userMetadata: command.metadata === 'all' ? source.userMetadata : command.metadata.userMetadata,
            stored,
        });
    }
    catch (error) {
        giveUp(deps, call, version);
        throw error;
    }
}
/** One trip asks for both: the source to read, and the target to write. */
async function authorise(deps, call, command, signal) {
    const { bucket, key, toBucket, toKey, mode, metadata } = command;
    const tryCopy = mode === 'replace' ? tryCopyOver : tryCopyNew;
    const target = tryCopy(bucket, key, {
        bucket: toBucket,
        key: toKey,
        ownerId: call.as.subject,
        metadata: metadata === 'all'
            ? null
            : JSON.stringify({ cacheControl: metadata.cacheControl ?? undefined, mimetype: metadata.mediaType ?? undefined }),
        keepUserMetadata: metadata === 'all',
        userMetadata: metadata === 'all' ? null : metadata.userMetadata,
    });
    const [rows] = await askAsCaller(deps, call, [findObject(bucket, key, 'to describe'), target], signal, 'roll back', keyTaken);
    const source = foundObject(rows?.[0]);
    if (!source)
        throw noSuchKey();
    return source;
}
function describe({ metadata }, source) {
    const changes = metadata === 'all' ? null : metadata;
    return {
        mediaType: changes?.mediaType ?? source.mediaType ?? UNKNOWN_TYPE,
        cacheControl: changes?.cacheControl ?? source.cacheControl ?? 'no-cache',
        robotsTag: source.robotsTag,
    };
}
/** As a reader does: a source overwritten meanwhile is looked up once more. */
async function copySource(deps, call, { bucket, key, toKey }, source, to, rules, signal) {
    const options = { maxBytes: maxStoredBytes(toKey, rules, deps.limits), signal };
    const first = versionId(source.version);
    const stored = first && (await copyBytes(deps, first, to, options));
    if (stored)
        return stored;
    const [rows] = await askAsCaller(deps, call, [findObject(bucket, key, 'to serve')], signal);
    const now = foundObject(rows?.[0]);
    if (!now)
        throw noSuchKey();
    const second = versionId(now.version);
    const again = second && second !== first ? await copyBytes(deps, second, to, options) : null;
    if (again)
        return again;
    deps.observe({ kind: 'bytes missing', bucket, version: now.version });
    throw bytesMissing();
}
