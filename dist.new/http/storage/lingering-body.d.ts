import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
/**
 * A body for an answer to a request that is still being sent. It goes out at once, but the connection is kept for a moment: closed under a
 * sender, TCP throws the answer away before he has read it (RFC 9112 9.6). Then it is closed, whatever else he would send.
 */
export declare function lingeringBody(request: IncomingMessage, content: Buffer): Readable;
