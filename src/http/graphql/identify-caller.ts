import type { FastifyRequest } from 'fastify'
import type { RoleContext } from '../../auth/role-context.ts'
import { ServiceError } from '../../std/service-error.ts'
import { apiKeyOf, bearerOf } from '../credentials.ts'

/**
 * Who asks: the header `apiKey` is required and must be genuine; a session token beside it names the user and alone decides the
 * role, whether the key's is stronger or weaker.
 * @throws ServiceError 401 or 403
 */
export async function identifyCaller(request: FastifyRequest, authenticate: (token: string) => Promise<RoleContext>): Promise<RoleContext> {
  const key = apiKeyOf(request.headers)
  if (!key) throw new ServiceError('MissingApiKey', 401, 'No API key found in request: send the header apiKey')
  const byKey = await authenticate(key).catch((error) => {
    throw error instanceof ServiceError && error.status === 401
      ? new ServiceError(error.code, 401, `The header apiKey is not valid: ${error.message}`, { cause: error })
      : error
  })
  const bearer = bearerOf(request.headers, request.query)
  return bearer === null || bearer === key ? byKey : authenticate(bearer)
}
