import type { FastifyInstance } from 'fastify';
import type { RouteContext } from './route-deps.ts';
/** GET and HEAD /object/sign/{bucketName}/{key}?token= */
export declare function getSignedObject(app: FastifyInstance, context: RouteContext): void;
