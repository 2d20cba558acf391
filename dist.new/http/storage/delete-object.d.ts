import type { FastifyInstance } from 'fastify';
import type { RouteContext } from './route-deps.ts';
/** DELETE /object/{bucketName}/{key} */
export declare function deleteObject(app: FastifyInstance, context: RouteContext): void;
