import type { FastifyInstance } from 'fastify';
import type { RouteContext } from './route-deps.ts';
/** DELETE /bucket/{bucketId}; a body says nothing and may be empty */
export declare function deleteBucket(app: FastifyInstance, context: RouteContext): void;
