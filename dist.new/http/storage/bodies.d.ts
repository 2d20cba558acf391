import type { FastifyInstance } from 'fastify';
/**
 * How bodies are read is the route's affair, not the sender's: on these routes JSON is understood, text is text, and anything else
 * is nothing, which the route's schema then refuses.
 */
export declare function readJsonBodies(app: FastifyInstance): void;
/** The same for routes where an empty body is as good as none, whatever it calls itself. */
export declare function readOptionalJsonBodies(app: FastifyInstance): void;
/** On these routes a body is a file or a form, and read by the handler. A Content-Type that is none is still refused. */
export declare function leaveBodies(app: FastifyInstance): void;
