import type { IncomingMessage } from 'node:http';
export type Refusal = {
    readonly status: number;
    readonly message: string;
};
/**
 * Requests that the parser lets through and that two programs in a row might read differently (RFC 9112 3.2, 6.1; RFC 9110 7.2):
 * refused before anything else looks at them.
 */
export declare function screenRequest(request: IncomingMessage): Refusal | null;
