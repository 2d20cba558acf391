import type { FastifyInstance } from 'fastify';
import type { RouteContext } from './route-deps.ts';
/** POST /object/upload/sign/{bucketName}/{key}. What the request says of itself stands for the upload, where policies look at it. */
export declare function signUpload(app: FastifyInstance, context: RouteContext): void;
