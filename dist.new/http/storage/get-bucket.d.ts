import type { FastifyInstance } from 'fastify';
import type { RouteContext } from './route-deps.ts';
/** GET and HEAD /bucket/{bucketId} */
export declare function getBucket(app: FastifyInstance, context: RouteContext): void;
