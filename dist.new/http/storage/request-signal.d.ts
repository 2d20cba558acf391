import type { FastifyReply } from 'fastify';
/** Aborted when the client goes away before it has the whole answer. */
export declare function requestSignal(reply: FastifyReply): AbortSignal;
