import { uploadObject } from '../../storage/object/upload-object.js';
import { openForm } from './form-body.js';
import { rawBody } from './raw-body.js';
import { requestSignal } from './request-signal.js';
/** What the three ways to upload share: the file is the body itself, or the first file of a form. */
export function upload(context, request, reply, uploader, mode) {
    const { headers, raw, params } = request;
    const { maxUserMetadataBytes } = context.storage.limits;
    const signal = requestSignal(reply);
    const robotsTag = headers['x-robots-tag'];
    const command = {
        bucket: params.bucketName,
        key: params['*'],
        mode,
        robotsTag: typeof robotsTag === 'string' ? robotsTag : undefined,
        conditions: { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] },
    };
    const open = async () => isForm(headers['content-type']) ? openForm(raw, maxUserMetadataBytes, signal) : rawBody(raw, maxUserMetadataBytes);
    return uploadObject(context.storage, uploader, command, open, signal);
}
const isForm = (contentType) => /^multipart\/form-data/i.test(contentType ?? '');
