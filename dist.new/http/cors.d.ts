import type { FastifyInstance } from 'fastify';
/**
 * Answers browsers (Fetch standard, CORS protocol): any request header is allowed to the origins listed, cookies never, since tokens
 * travel in headers that a foreign page does not have.
 */
export declare function registerCors(app: FastifyInstance, origins: readonly string[]): Promise<void>;
