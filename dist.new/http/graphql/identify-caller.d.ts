import type { FastifyRequest } from 'fastify';
import type { RoleContext } from '../../auth/role-context.ts';
/**
 * Who asks: the header `apiKey` is required and must be genuine; a session token beside it names the user and alone decides the
 * role, whether the key's is stronger or weaker.
 * @throws ServiceError 401 or 403
 */
export declare function identifyCaller(request: FastifyRequest, authenticate: (token: string) => Promise<RoleContext>): Promise<RoleContext>;
