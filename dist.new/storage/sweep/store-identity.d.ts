import type { ByteStore } from '../../bytes/byte-store.ts';
import type { StoreMarker } from '../../bytes/store-marker.ts';
import type { AsService } from './sweep-options.ts';
export type StoreIdentityDeps = {
    readonly asService: AsService;
    readonly bytes: ByteStore;
    readonly marker: StoreMarker;
    /** a random UUID */
    readonly newId: () => string;
};
/** `mismatch`: the bytes there are not those of this database, so nothing may be written or removed; `why` is a sentence for the operator. */
export type StoreIdentity = {
    readonly kind: 'same' | 'adopted';
} | {
    readonly kind: 'mismatch';
    readonly why: string;
};
/**
 * Before serving: does the store belong to the database? An empty mount point, another folder or another database show here.
 * Where neither side has a mark yet, and nothing could be mistaken, both get one.
 */
export declare function identifyStore(deps: StoreIdentityDeps, signal: AbortSignal): Promise<StoreIdentity>;
/** Why nothing may be removed now; null when the store's mark is the database's. */
export declare function whyNotOurs(marked: string | null, storeId: string | null): string | null;
