import type { IncomingMessage } from 'node:http';
import type { Bytes } from '../../std/brand.ts';
import type { Arrival } from '../../storage/object/upload-object.ts';
/**
 * A form (RFC 7578) up to the first byte of its first file; the name of that part does not matter. The fields `cacheControl`, `metadata` (or
 * `userMetadata`) and `contentType` describe it; they may stand behind it as well as before it. Further files are passed over.
 * @throws InvalidRequest for a broken form and one without a file; EntityTooLarge for a field over its limit
 */
export declare function openForm(raw: IncomingMessage, maxUserMetadataBytes: Bytes, signal: AbortSignal): Promise<Arrival>;
