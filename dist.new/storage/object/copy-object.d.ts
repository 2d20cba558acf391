import type { Call, StorageDeps } from '../deps.ts';
import type { BucketId, ObjectKey } from '../key.ts';
import { type ObjectRecord } from '../rows/objects.sql.ts';
import type { UserMetadata } from '../user-metadata.ts';
import { type WriteMode } from './write-permission.ts';
export type CopyObject = {
    readonly bucket: BucketId;
    readonly key: ObjectKey;
    readonly toBucket: BucketId;
    readonly toKey: ObjectKey;
    readonly mode: WriteMode;
    /** `all`: everything as the source has it; otherwise these, where given; user metadata is then what is given, or none */
    readonly metadata: 'all' | {
        readonly cacheControl: string | null;
        readonly mediaType: string | null;
        readonly userMetadata: UserMetadata | null;
    };
};
/**
 * A new version with the bytes of the source, as the caller's own object. The target bucket must take it.
 * @throws NoSuchKey for a source that is missing or that the caller may not read; AccessDenied, KeyAlreadyExists, RelatedResourceMissing,
 * EntityTooLarge, InvalidMimeType, NoSuchBytes
 */
export declare function copyObject(deps: StorageDeps, call: Call, command: CopyObject, signal: AbortSignal): Promise<ObjectRecord>;
