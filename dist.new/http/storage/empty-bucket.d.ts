import type { FastifyInstance } from 'fastify';
import type { RouteContext } from './route-deps.ts';
/** POST /bucket/{bucketId}/empty; a body says nothing and may be empty */
export declare function emptyBucket(app: FastifyInstance, context: RouteContext): void;
