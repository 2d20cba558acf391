import type { FastifyInstance } from 'fastify';
import type { RouteContext } from './route-deps.ts';
/** POST /object/move */
export declare function moveObject(app: FastifyInstance, context: RouteContext): void;
