import type { StoredBytes } from '../../bytes/byte-store.ts';
/** The column `metadata` of a stored object, as the peer fills it and as policies and clients read it. */
export type ObjectMetadata = {
    readonly mediaType: string;
    readonly cacheControl: string;
    readonly robotsTag: string | null;
};
/** From the content: the same bytes have the same, other bytes another one. */
export declare const etagOf: (stored: StoredBytes) => string;
/** JSON text. */
export declare const objectMetadata: ({ mediaType, cacheControl, robotsTag }: ObjectMetadata, stored: StoredBytes, now: Date) => string;
