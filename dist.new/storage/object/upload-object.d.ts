import type { Readable } from 'node:stream';
import type { Bytes } from '../../std/brand.ts';
import type { Call, StorageDeps } from '../deps.ts';
import { type BucketId, type ObjectKey } from '../key.ts';
import { type WriteConditions } from '../preconditions.ts';
import { type UserMetadata } from '../user-metadata.ts';
import { type WriteMode } from './write-permission.ts';
export type UploadObject = {
    /** as they stood in the path, decoded */
    readonly bucket: string;
    readonly key: string;
    readonly mode: WriteMode;
    readonly robotsTag: string | undefined;
    readonly conditions: WriteConditions;
};
/** Who uploads: a caller whom row security judges, or the holder of a signed address whom it judged before. */
export type Uploader = {
    readonly call: Call;
    readonly hasAddress: boolean;
    readonly ownerId: string | null;
};
/** What is known of a file when its first byte is there to be read. */
export type Arrival = ArrivalFields & {
    /** of the file, where the sender told it */
    readonly size: Bytes | null;
    /** of the request's body: the length that policies look at */
    readonly announcedLength: number | null;
    /** lower-case hex, where the sender told it */
    readonly md5: string | null;
    readonly body: Readable;
    /** once the body has ended: fields that came behind it, or null */
    readonly behind: () => Promise<ArrivalFields | null>;
};
export type ArrivalFields = {
    readonly mediaType: string;
    readonly cacheControl: string;
    /** null: none given */
    readonly userMetadata: UserMetadata | null;
};
export type UploadedObject = {
    readonly id: string;
    readonly bucket: BucketId;
    readonly key: ObjectKey;
};
/**
 * Bytes first, row second. No connection to the database is held while bytes move.
 * The order in which faults are told is the peer's: bucket, X-Robots-Tag, type, size, key, permission, existing key.
 * @throws InvalidBucketName, NoSuchBucket, InvalidRobotsTag, whatever `open` throws, InvalidMimeType, EntityTooLarge, InvalidKey, AccessDenied,
 * KeyAlreadyExists, PreconditionFailed, BadDigest, Aborted
 */
export declare function uploadObject(deps: StorageDeps, uploader: Uploader, command: UploadObject, open: () => Promise<Arrival>, signal: AbortSignal): Promise<UploadedObject>;
