import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isService } from '../../storage/ask.ts'
import { invalidRole, missingParameter } from '../../storage/errors.ts'
import { callerOf } from './caller.ts'
import type { RouteContext } from './route-deps.ts'

/** DELETE /cdn, /cdn/{bucketName} and /cdn/{bucketName}/{key}: there is no cache in front to tell, which the peer says in these words. */
export function purgeCache(app: FastifyInstance, context: RouteContext): void {
  const refuse = async (request: FastifyRequest): Promise<never> => {
    const call = await callerOf(context, request, 'storage.object.delete')
    if (!isService(call)) throw invalidRole()
    throw missingParameter('CDN_PURGE_ENDPOINT_URL is not set')
  }
  for (const url of ['', '/:bucketName', '/:bucketName/*']) app.delete(url, refuse)
}
