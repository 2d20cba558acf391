import type { FastifyInstance } from 'fastify';
import type { RouteContext } from './route-deps.ts';
/** POST /object/{bucketName}/{key}: creates, and replaces with `x-upsert: true`. PUT: replaces, and creates. */
export declare function uploadObject(app: FastifyInstance, context: RouteContext): void;
