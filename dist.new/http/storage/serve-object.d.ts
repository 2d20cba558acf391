import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ObjectRow } from '../../storage/rows/objects.sql.ts';
import { type Audience } from './object-headers.ts';
import type { RouteContext } from './route-deps.ts';
/** Answers a GET or HEAD with the object that `find` finds: whole, in part, or not at all because the client has it. */
export declare function serveObject(context: RouteContext, request: FastifyRequest, reply: FastifyReply, audience: Audience, bucket: string, find: () => Promise<ObjectRow>): Promise<FastifyReply>;
