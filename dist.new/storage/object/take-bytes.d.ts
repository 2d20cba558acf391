import type { Readable } from 'node:stream';
import { type StoredBytes, type VersionId } from '../../bytes/byte-store.ts';
import type { Bytes } from '../../std/brand.ts';
import type { StorageDeps } from '../deps.ts';
/**
 * The one gate: whatever comes in from outside, in whatever form, comes through here. It is counted while it flows and refused at the
 * first byte too many, hashed, and durable when this resolves. The body is left as it is when it is refused, so that an answer can be sent.
 * @throws EntityTooLarge, BadDigest, Aborted
 */
export declare function takeBytes(deps: StorageDeps, version: VersionId, body: Readable, { maxBytes, md5, signal }: {
    readonly maxBytes: Bytes;
    readonly md5: string | null;
    readonly signal: AbortSignal;
}): Promise<StoredBytes>;
/** The gate for bytes that are here already; null: they are not. @throws EntityTooLarge, Aborted */
export declare function copyBytes(deps: StorageDeps, from: VersionId, to: VersionId, { maxBytes, signal }: {
    readonly maxBytes: Bytes;
    readonly signal: AbortSignal;
}): Promise<StoredBytes | null>;
