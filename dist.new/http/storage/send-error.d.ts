import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RouteContext } from './route-deps.ts';
/** The answer to whatever a storage route threw. */
export declare function sendError(context: RouteContext, thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply;
/** The answer on a path that no route of its family has; the peer's Content-Type has no charset here. */
export declare function sendNotFound(context: RouteContext, request: FastifyRequest, reply: FastifyReply): FastifyReply;
