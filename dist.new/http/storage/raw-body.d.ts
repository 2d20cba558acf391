import type { IncomingMessage } from 'node:http';
import { type Bytes } from '../../std/brand.ts';
import type { Arrival } from '../../storage/object/upload-object.ts';
/** A file that is the whole body of a request, described by its headers. */
export declare function rawBody(raw: IncomingMessage, maxUserMetadataBytes: Bytes): Arrival;
