import type { FastifyInstance } from 'fastify';
import type { RouteContext } from './route-deps.ts';
/** GET and HEAD /object/info/authenticated/…, /object/info/public/… and /object/info/{bucketName}/{key}: what the row says of an object */
export declare function objectInfo(app: FastifyInstance, context: RouteContext): void;
