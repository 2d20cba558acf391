import { invalidSignature } from '../../storage/errors.js';
import { anonymousCall } from './caller.js';
import { upload } from './upload.js';
const SHAPE = {
    querystring: {
        type: 'object',
        required: ['token'],
        properties: { token: { type: 'string' } },
    },
};
const WRONG_SCOPE = 'Token is not scoped for upload';
/** PUT /object/upload/sign/{bucketName}/{key}?token=: whoever signed it owns the object, and said whether it may replace one. */
export function uploadToAddress(app, context) {
    app.put('/upload/sign/:bucketName/*', { schema: SHAPE }, async (request, reply) => {
        const { bucketName, '*': key } = request.params;
        const grant = await verify(context, request.query.token);
        if (grant.url !== `${bucketName}/${key}`)
            throw invalidSignature();
        const call = anonymousCall(context, request, 'storage.object.upload_signed');
        const uploader = { call, hasAddress: true, ownerId: grant.owner };
        const uploaded = await upload(context, request, reply, uploader, grant.upsert ? 'replace' : 'create');
        return { Key: `${uploaded.bucket}/${uploaded.key}` };
    });
}
async function verify(context, token) {
    const grant = await context.storage.verifyUrl(token).catch((error) => {
        // a genuine token that was not made for an address has the wrong scope, too
        throw error instanceof Error && 'code' in error && error.code === 'InvalidSignature' ? invalidSignature(WRONG_SCOPE) : error;
    });
    if (grant.scope !== 'upload')
        throw invalidSignature(WRONG_SCOPE);
    return grant;
}
