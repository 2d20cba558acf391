import type { FastifyInstance } from 'fastify';
import type { RouteContext } from './route-deps.ts';
/** PUT /bucket/{bucketId} */
export declare function updateBucket(app: FastifyInstance, context: RouteContext): void;
