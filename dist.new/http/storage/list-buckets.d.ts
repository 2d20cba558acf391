import type { FastifyInstance } from 'fastify';
import type { RouteContext } from './route-deps.ts';
/** GET and HEAD /bucket */
export declare function listBuckets(app: FastifyInstance, context: RouteContext): void;
