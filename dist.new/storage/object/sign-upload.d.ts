import type { Call, StorageDeps } from '../deps.ts';
import { type BucketId, type ObjectKey } from '../key.ts';
import { type UserMetadata } from '../user-metadata.ts';
export type SignUpload = {
    readonly bucket: BucketId;
    readonly key: ObjectKey;
    /** whether the holder of the address may replace what is there then */
    readonly upsert: boolean;
    /** what the request said of itself, for policies that look at it */
    readonly mediaType: string | null;
    readonly announcedLength: number | null;
    readonly userMetadata: UserMetadata | null;
};
/** A token to upload one object with, for somebody who may upload it himself; he becomes the owner. @throws as an upload does */
export declare function signUpload(deps: StorageDeps, call: Call, command: SignUpload, signal: AbortSignal): Promise<string>;
