import { bucketId, objectKey } from '../../storage/key.js';
import { signObject as sign } from '../../storage/object/sign-object.js';
import { callerOf, pathOf } from './caller.js';
import { requestSignal } from './request-signal.js';
import { FOCUS_POINT, SIGNED_LIFE, TRANSFORM } from './shapes.js';
const SHAPE = {
    body: {
        type: 'object',
        required: ['expiresIn'],
        properties: {
            expiresIn: SIGNED_LIFE,
            transform: { type: 'object', properties: TRANSFORM, ...FOCUS_POINT },
        },
    },
};
/** POST /object/sign/{bucketName}/{key}. Options for images are looked at and change nothing: nothing is transformed here. */
export function signObject(app, context) {
    app.post('/sign/:bucketName/*', { schema: SHAPE }, async (request, reply) => {
        const call = await callerOf(context, request, 'storage.object.sign');
        const { bucketName, '*': key } = request.params;
        const command = { bucket: bucketId(bucketName), key: objectKey(key), expiresIn: request.body.expiresIn };
        const token = await sign(context.storage, call, command, requestSignal(reply));
        return { signedURL: `${readablePath(pathOf(context, request))}?token=${token}` };
    });
}
/** The address as it was asked for, with what decodeURI unescapes unescaped: clients append it to theirs and escape it again. */
const readablePath = (url) => decodeURI(url.split('?', 1)[0] ?? '');
