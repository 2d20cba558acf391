import type { Readable } from 'node:stream';
/**
 * The chunks of a body as they arrive. Unlike the stream's own iterator it never destroys the body: when a put is refused half-way,
 * whoever owns the socket may still want to answer on it. Ends early with the signal's reason, or when the body breaks off.
 */
export declare function readChunks(body: Readable, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined>;
/** The sender went away in the middle. */
export declare class BodyBrokeOff extends Error {
    readonly name = "BodyBrokeOff";
}
