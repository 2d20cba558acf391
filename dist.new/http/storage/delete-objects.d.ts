import type { FastifyInstance } from 'fastify';
import type { RouteContext } from './route-deps.ts';
/** DELETE /object/{bucketName} */
export declare function deleteObjects(app: FastifyInstance, context: RouteContext): void;
