import type { FastifyInstance } from 'fastify';
import type { RouteContext } from './route-deps.ts';
/** POST /object/sign/{bucketName} */
export declare function signObjects(app: FastifyInstance, context: RouteContext): void;
