import type { FastifyInstance } from 'fastify';
import type { RouteContext } from './route-deps.ts';
/** GET /status, /version and /health, as clients of the peer probe them. The last wants a token of any role and always answers 200. */
export declare function serviceRoutes(app: FastifyInstance, context: RouteContext): void;
