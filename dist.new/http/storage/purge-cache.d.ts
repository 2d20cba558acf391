import type { FastifyInstance } from 'fastify';
import type { RouteContext } from './route-deps.ts';
/** DELETE /cdn, /cdn/{bucketName} and /cdn/{bucketName}/{key}: there is no cache in front to tell, which the peer says in these words. */
export declare function purgeCache(app: FastifyInstance, context: RouteContext): void;
