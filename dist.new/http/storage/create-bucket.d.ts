import type { FastifyInstance } from 'fastify';
import type { RouteContext } from './route-deps.ts';
/** POST /bucket */
export declare function createBucket(app: FastifyInstance, context: RouteContext): void;
