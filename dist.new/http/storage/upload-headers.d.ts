import type { IncomingHttpHeaders } from 'node:http';
import type { Bytes } from '../../std/brand.ts';
import type { WriteMode } from '../../storage/object/write-permission.ts';
import { type UserMetadata } from '../../storage/user-metadata.ts';
/** `x-upsert: true`, in exactly these letters. */
export declare const writeMode: (headers: IncomingHttpHeaders) => WriteMode;
/** `x-metadata`: a JSON object in base64; what is none counts as not sent. @throws as {@link userMetadata} */
export declare function metadataHeader(headers: IncomingHttpHeaders, maxBytes: Bytes): UserMetadata | null;
/** Content-Length; null where the body is chunked or there is none. */
export declare function contentLength(headers: IncomingHttpHeaders): number | null;
/** Content-MD5 (RFC 1864) as lower-case hex. @throws InvalidRequest for what is no digest */
export declare function contentMd5(headers: IncomingHttpHeaders): string | null;
