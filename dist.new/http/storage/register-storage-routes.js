import { leaveBodies, readJsonBodies, readOptionalJsonBodies } from './bodies.js';
import { copyObject } from './copy-object.js';
import { createBucket } from './create-bucket.js';
import { deleteBucket } from './delete-bucket.js';
import { deleteObject } from './delete-object.js';
import { deleteObjects } from './delete-objects.js';
import { emptyBucket } from './empty-bucket.js';
import { getBucket } from './get-bucket.js';
import { getAuthenticatedObject, getObject, getPublicObject } from './get-object.js';
import { getSignedObject } from './get-signed-object.js';
import { listBuckets } from './list-buckets.js';
import { moveObject } from './move-object.js';
import { objectInfo } from './object-info.js';
import { purgeCache } from './purge-cache.js';
import { sendError, sendNotFound } from './send-error.js';
import { serviceRoutes } from './service-routes.js';
import { signObject } from './sign-object.js';
import { signObjects } from './sign-objects.js';
import { signUpload } from './sign-upload.js';
import { updateBucket } from './update-bucket.js';
import { uploadObject } from './upload-object.js';
import { uploadToAddress } from './upload-to-address.js';
/** The storage API below the prefix of `app`. */
export async function registerStorageRoutes(app, deps) {
    const context = { ...deps, mount: app.prefix };
    app.setErrorHandler((error, request, reply) => sendError(context, error, request, reply));
    const family = (prefix, ...groups) => app.register(async (scope) => {
        scope.setNotFoundHandler((request, reply) => sendNotFound(context, request, reply));
        for (const [readBodies, ...endpoints] of groups) {
            await scope.register(async (inner) => {
                readBodies(inner);
                for (const endpoint of endpoints)
                    endpoint(inner, context);
            });
        }
    }, { prefix });
    await family('/bucket', [readJsonBodies, createBucket, listBuckets, getBucket, updateBucket], [readOptionalJsonBodies, emptyBucket, deleteBucket]);
    await family('/object', [
        readJsonBodies,
        getObject,
        getAuthenticatedObject,
        getPublicObject,
        getSignedObject,
        objectInfo,
        signObject,
        signObjects,
        signUpload,
        moveObject,
        copyObject,
        deleteObject,
        deleteObjects,
    ], [leaveBodies, uploadObject, uploadToAddress]);
    await family('/cdn', [readOptionalJsonBodies, purgeCache]);
    await family('/render');
    await family('/vector');
    serviceRoutes(app, context);
}
