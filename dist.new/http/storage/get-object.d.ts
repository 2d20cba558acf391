import type { FastifyInstance } from 'fastify';
import type { RouteContext } from './route-deps.ts';
/** GET and HEAD /object/authenticated/{bucketName}/{key}: for callers with a token */
export declare function getAuthenticatedObject(app: FastifyInstance, context: RouteContext): void;
/** GET and HEAD /object/{bucketName}/{key}: the same, and for anybody what is public */
export declare function getObject(app: FastifyInstance, context: RouteContext): void;
/** GET and HEAD /object/public/{bucketName}/{key}: looks at no token */
export declare function getPublicObject(app: FastifyInstance, context: RouteContext): void;
