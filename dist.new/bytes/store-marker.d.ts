/** The id that lies beside the bytes and tells this store from an empty mount point or somebody else's folder. */
export type StoreMarker = {
    /** null when there is none; @throws when there is something that cannot be read */
    readonly read: () => Promise<string | null>;
    readonly write: (storeId: string) => Promise<void>;
};
export declare function createFsStoreMarker(folder: string): StoreMarker;
