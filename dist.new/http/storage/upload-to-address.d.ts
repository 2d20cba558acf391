import type { FastifyInstance } from 'fastify';
import type { RouteContext } from './route-deps.ts';
/** PUT /object/upload/sign/{bucketName}/{key}?token=: whoever signed it owns the object, and said whether it may replace one. */
export declare function uploadToAddress(app: FastifyInstance, context: RouteContext): void;
