import type { Bytes } from '../std/brand.ts';
/** What callers keep beside an object: the text of a JSON object, as it goes into a jsonb column. */
export type UserMetadata = string;
export declare const NO_METADATA: UserMetadata;
/**
 * From the text of a form field or a decoded header. Text that is no JSON, and null, numbers and booleans count as none, as at the peer.
 * @throws InvalidParameter for lists and strings, for NUL and halves of surrogate pairs (jsonb cannot hold them), for numbers beyond numeric
 * @throws EntityTooLarge
 */
export declare function userMetadata(text: string | undefined, maxBytes: Bytes): UserMetadata | null;
