import { pathOf } from '../key.js';
import { NO_METADATA } from '../user-metadata.js';
import { announcedMetadata, askToWrite } from './write-permission.js';
/** A token to upload one object with, for somebody who may upload it himself; he becomes the owner. @throws as an upload does */
export async function signUpload(deps, call, command, signal) {
    const { bucket, key, upsert, mediaType, announcedLength, userMetadata } = command;
    const owner = call.as.subject;
    const metadata = announcedMetadata(mediaType, announcedLength);
    const candidate = { bucket, key, ownerId: owner, metadata, userMetadata: userMetadata ?? NO_METADATA };
    await askToWrite(deps, call, upsert ? 'replace' : 'create', candidate, signal);
    return deps.signUrl({ scope: 'upload', url: pathOf(bucket, key), upsert, owner }, deps.limits.uploadUrlLife);
}
