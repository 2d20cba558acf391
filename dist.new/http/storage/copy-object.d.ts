import type { FastifyInstance } from 'fastify';
import type { RouteContext } from './route-deps.ts';
/** POST /object/copy */
export declare function copyObject(app: FastifyInstance, context: RouteContext): void;
