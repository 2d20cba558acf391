import { callerOf } from './caller.js';
import { upload } from './upload.js';
import { writeMode } from './upload-headers.js';
/** POST /object/{bucketName}/{key}: creates, and replaces with `x-upsert: true`. PUT: replaces, and creates. */
export function uploadObject(app, context) {
    app.post('/:bucketName/*', (request, reply) => take(context, request, reply, 'storage.object.upload', writeMode(request.headers)));
    app.put('/:bucketName/*', (request, reply) => take(context, request, reply, 'storage.object.upload_update', 'replace'));
}
async function take(context, request, reply, operation, mode) {
    const call = await callerOf(context, request, operation);
    const uploader = { call, hasAddress: false, ownerId: call.as.subject };
    const { id, bucket, key } = await upload(context, request, reply, uploader, mode);
    return { Id: id, Key: `${bucket}/${key}` };
}
