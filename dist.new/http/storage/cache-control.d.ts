import type { IncomingHttpHeaders } from 'node:http';
import type { CachingOptions } from './route-deps.ts';
/**
 * What is stored, and for a cache that says what it has: how long it may keep ours, and that its own has had its day.
 * HEAD is asked by caches that decide what to do with what they have, hence its own word.
 */
export declare function cacheControl(stored: string, etag: string, headers: IncomingHttpHeaders, method: string, { sharedMaxAge, etagHeaders }: CachingOptions): string;
