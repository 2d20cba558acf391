import { ServiceError } from '../../std/service-error.js';
import { admitCacheControl, admitMediaType, admitSize, maxUploadBytes } from '../admit.js';
import { askAsService, isService } from '../ask.js';
import { keyAlreadyExists, noSuchBucket, preconditionFailed } from '../errors.js';
import { bucketId, newObjectKey } from '../key.js';
import { mayWrite } from '../preconditions.js';
import { robotsTag } from '../robots-tag.js';
import { findUploadRules, uploadRules } from '../rows/buckets.sql.js';
import { reserveVersion } from '../rows/ledger.sql.js';
import { NO_METADATA } from '../user-metadata.js';
import { objectMetadata } from './object-metadata.js';
import { giveUp, publish } from './publish.js';
import { takeBytes } from './take-bytes.js';
import { announcedMetadata, askToWrite } from './write-permission.js';
/**
 * Bytes first, row second. No connection to the database is held while bytes move.
 * The order in which faults are told is the peer's: bucket, X-Robots-Tag, type, size, key, permission, existing key.
 * @throws InvalidBucketName, NoSuchBucket, InvalidRobotsTag, whatever `open` throws, InvalidMimeType, EntityTooLarge, InvalidKey, AccessDenied,
 * KeyAlreadyExists, PreconditionFailed, BadDigest, Aborted
 */
export async function uploadObject(deps, uploader, command, open, signal) {
    const bucket = bucketId(command.bucket);
    const key = checkedKey(command.key);
    const version = deps.newVersion();
    const rules = await findAndReserve(deps, uploader.call, bucket, key, version, signal);
    try {
        if (!rules)
            throw noSuchBucket();
        const robots = robotsTag(command.robotsTag);
        const arrival = await open();
        const maxBytes = maxUploadBytes(command.key, rules, deps.limits);
        admitFields(command.key, rules, arrival);
        admitSize(arrival.size, maxBytes);
        if (key instanceof ServiceError)
            throw key;
        const upload = { deps, uploader, command, bucket, key, rules, signal };
        await authorise(upload, arrival, arrival.announcedLength);
        const replacing = decideReplacing(upload);
        const stored = await takeBytes(deps, version, arrival.body, { maxBytes, md5: arrival.md5, signal });
        const fields = await lastFields(upload, arrival, stored);
        const { id } = await publishUpload(upload, replacing, {
            version,
            bucketId: bucket,
            key,
            ownerId: uploader.ownerId,
            metadata: objectMetadata({ ...fields, robotsTag: robots }, stored, deps.now()),
            userMetadata: fields.userMetadata ?? NO_METADATA,
            stored,
        });
        return { id, bucket, key };
    }
    catch (error) {
        if (!(key instanceof ServiceError))
            giveUp(deps, uploader.call, version);
        throw error;
    }
}
/** A key's fault is told after those of type and size, which need the bucket. */
function checkedKey(text) {
    try {
        return newObjectKey(text);
    }
    catch (error) {
        if (error instanceof ServiceError)
            return error;
        throw error;
    }
}
/** One trip for both. Nothing is reserved for a key that cannot be. */
async function findAndReserve(deps, call, bucket, key, version, signal) {
    const statements = key instanceof ServiceError ? [findUploadRules(bucket, '')] : [findUploadRules(bucket, key), reserveVersion(version, bucket, key)];
    const [rows] = await askAsService(deps, call, statements, signal);
    return uploadRules(rows?.[0]);
}
function admitFields(key, rules, { mediaType, cacheControl }) {
    admitMediaType(mediaType, key, rules);
    admitCacheControl(cacheControl);
}
/** The service may write anything, and whoever holds an address was asked about before. */
const needsPermission = ({ call, hasAddress }) => !hasAddress && !isService(call);
async function authorise(upload, { mediaType, userMetadata }, length) {
    const { deps, uploader, command, bucket, key, signal } = upload;
    if (!needsPermission(uploader))
        return;
    const metadata = announcedMetadata(mediaType, length);
    const candidate = { bucket, key, ownerId: uploader.ownerId, metadata, userMetadata: userMetadata ?? NO_METADATA };
    await askToWrite(deps, uploader.call, command.mode, candidate, signal);
}
/** RFC 9110 13.1: `If-None-Match: *` writes only where nothing is, `If-Match` only over what it names. */
function decideReplacing({ uploader, command: { mode, conditions }, rules: { current } }) {
    if (mode === 'create' && current && !needsPermission(uploader))
        throw keyAlreadyExists();
    if (!mayWrite(conditions, current))
        throw preconditionFailed();
    if (mode === 'create' || conditions.ifNoneMatch?.trim() === '*')
        return { kind: 'never' };
    return conditions.ifMatch && current?.version ? { kind: 'only', version: current.version } : { kind: 'always' };
}
/** Fields behind the file count as those before it do, so they are admitted and asked about likewise. */
async function lastFields(upload, arrival, stored) {
    const behind = await arrival.behind();
    if (!behind)
        return arrival;
    admitFields(upload.key, upload.rules, behind);
    if (behind.mediaType !== arrival.mediaType || behind.userMetadata !== arrival.userMetadata)
        await authorise(upload, behind, stored.size);
    return behind;
}
/** Who asked for `If-None-Match: *` hears of a key taken meanwhile in the words of his condition. */
async function publishUpload({ deps, uploader, command }, replacing, publication) {
    try {
        return await publish(deps, uploader.call, replacing, publication);
    }
    catch (error) {
        throw command.mode === 'replace' && error instanceof ServiceError && error.code === 'KeyAlreadyExists' ? preconditionFailed() : error;
    }
}
