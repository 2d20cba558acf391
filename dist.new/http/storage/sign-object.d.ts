import type { FastifyInstance } from 'fastify';
import type { RouteContext } from './route-deps.ts';
/** POST /object/sign/{bucketName}/{key}. Options for images are looked at and change nothing: nothing is transformed here. */
export declare function signObject(app: FastifyInstance, context: RouteContext): void;
