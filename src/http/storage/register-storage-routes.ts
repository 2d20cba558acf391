import type { FastifyInstance } from 'fastify'
import { leaveBodies, readJsonBodies, readOptionalJsonBodies } from './bodies.ts'
import { copyObject } from './copy-object.ts'
import { createBucket } from './create-bucket.ts'
import { deleteBucket } from './delete-bucket.ts'
import { deleteObject } from './delete-object.ts'
import { deleteObjects } from './delete-objects.ts'
import { emptyBucket } from './empty-bucket.ts'
import { getBucket } from './get-bucket.ts'
import { getAuthenticatedObject, getObject, getPublicObject } from './get-object.ts'
import { getSignedObject } from './get-signed-object.ts'
import { listBuckets } from './list-buckets.ts'
import { listObjects } from './list-objects.ts'
import { listObjectsV2 } from './list-objects-v2.ts'
import { moveObject } from './move-object.ts'
import { objectInfo } from './object-info.ts'
import { openapiRoute } from './openapi/openapi-route.ts'
import { purgeCache } from './purge-cache.ts'
import type { RouteContext, StorageRouteDeps } from './route-deps.ts'
import { sendError, sendNoRoute, sendNotFound } from './send-error.ts'
import { serviceRoutes } from './service-routes.ts'
import { signObject } from './sign-object.ts'
import { signObjects } from './sign-objects.ts'
import { signUpload } from './sign-upload.ts'
import { updateBucket } from './update-bucket.ts'
import { uploadObject } from './upload-object.ts'
import { uploadToAddress } from './upload-to-address.ts'

type Endpoint = (app: FastifyInstance, context: RouteContext) => void

/** The storage API below the prefix of `app`. */
export async function registerStorageRoutes(app: FastifyInstance, deps: StorageRouteDeps): Promise<void> {
  const context: RouteContext = { ...deps, mount: app.prefix }
  app.setErrorHandler((error, request, reply) => sendError(context, error, request, reply))
  if (context.mount !== '') app.setNotFoundHandler((request, reply) => sendNoRoute(context, request, reply))

  openapiRoute(app, context)
  const family = (prefix: string, ...groups: readonly (readonly [(scope: FastifyInstance) => void, ...(readonly Endpoint[])])[]) =>
    app.register(
      async (scope) => {
        scope.setNotFoundHandler((request, reply) => sendNotFound(context, request, reply))
        for (const [readBodies, ...endpoints] of groups) {
          await scope.register(async (inner) => {
            readBodies(inner)
            for (const endpoint of endpoints) endpoint(inner, context)
          })
        }
      },
      { prefix },
    )

  await family(
    '/bucket',
    [readJsonBodies, createBucket, listBuckets, getBucket, updateBucket],
    [readOptionalJsonBodies, emptyBucket, deleteBucket],
  )
  await family(
    '/object',
    [
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
      listObjects,
      listObjectsV2,
    ],
    [leaveBodies, uploadObject, uploadToAddress],
  )
  await family('/cdn', [readOptionalJsonBodies, purgeCache])
  await family('/render')
  await family('/vector')
  serviceRoutes(app, context)
}
