import type { FastifyRequest } from 'fastify';
import type { Call } from '../../storage/deps.ts';
import type { Reader } from '../../storage/object/find-object.ts';
import { type Operation } from '../../storage/settings.ts';
import type { RouteContext } from './route-deps.ts';
/** What is said where a token is wanted and there is none: most routes ask for the header, some read an empty token. */
export type WithoutToken = 'header missing' | 'token empty';
/**
 * Who asks, for a route that wants a token. Called by handlers, so that a body or query which is wrong is told first.
 * @throws InvalidShape without a token; what authentication throws
 */
export declare function callerOf(context: RouteContext, request: FastifyRequest, operation: Operation, without?: WithoutToken): Promise<Call>;
/** For routes that look at no token: who holds a signed address, or reads what is public. */
export declare const anonymousCall: (context: RouteContext, request: FastifyRequest, operation: Operation) => Call;
/** Who reads, for a route where a token is wanted. One whose role may not be taken on still reads what is public. */
export declare function readerOf(context: RouteContext, request: FastifyRequest, operation: Operation): Promise<Reader>;
/** Who reads, for a route that does without: a token that is not accepted counts as none. */
export declare function anyReaderOf(context: RouteContext, request: FastifyRequest, operation: Operation): Promise<Reader>;
/** Path and query as clients and policies know them: without the prefix the routes are mounted at. */
export declare const pathOf: ({ mount }: RouteContext, request: FastifyRequest) => string;
