import { bucketId, newObjectKey } from '../../storage/key.js';
import { signUpload as sign } from '../../storage/object/sign-upload.js';
import { callerOf } from './caller.js';
import { requestSignal } from './request-signal.js';
import { contentLength, metadataHeader, writeMode } from './upload-headers.js';
/** POST /object/upload/sign/{bucketName}/{key}. What the request says of itself stands for the upload, where policies look at it. */
export function signUpload(app, context) {
    app.post('/upload/sign/:bucketName/*', async (request, reply) => {
        const call = await callerOf(context, request, 'storage.object.sign_upload_url');
        const { headers, params } = request;
        const bucket = bucketId(params.bucketName);
        const key = newObjectKey(params['*']);
        const command = {
            bucket,
            key,
            upsert: writeMode(headers) === 'replace',
            mediaType: headers['content-type'] ?? null,
            announcedLength: contentLength(headers),
            userMetadata: metadataHeader(headers, context.storage.limits.maxUserMetadataBytes),
        };
        const token = await sign(context.storage, call, command, requestSignal(reply));
        return { url: `/object/upload/sign/${bucket}/${key}?token=${token}`, token };
    });
}
