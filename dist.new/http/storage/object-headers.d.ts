import type { IncomingHttpHeaders } from 'node:http';
import type { ServableObject } from '../../storage/object/read-object.ts';
import type { CachingOptions } from './route-deps.ts';
/** Who may get at the answer: everybody with its address, or the caller with his token alone. */
export type Audience = {
    readonly kind: 'everybody' | 'caller';
} | {
    readonly kind: 'holder of the address';
    readonly until: Date;
};
/** Headers of every answer that serves an object: 200, 206 and 304, GET and HEAD. */
export declare function objectHeaders(object: ServableObject, audience: Audience, request: {
    readonly headers: IncomingHttpHeaders;
    readonly method: string;
    readonly download: string | undefined;
}, caching: CachingOptions): Readonly<Record<string, string>>;
