import type { Catalog } from './model.ts';
/** The catalog as last reflected, and a way to have a newer one. */
export type CatalogCache = {
    readonly current: () => Promise<Catalog>;
    /** a catalog that is not `stale`: reflects, unless another request already did */
    readonly after: (stale: Catalog) => Promise<Catalog>;
};
/**
 * Reflects once for however many requests wait. Between an owner's `drop extension` and `create extension` it waits and tries again
 * for `patienceMs`; after that the answer is that the extension is missing.
 */
export declare function createCatalogCache(deps: {
    readonly reflect: () => Promise<Catalog>;
    readonly patienceMs: number;
    readonly onReflected?: (catalog: Catalog, ms: number) => void;
}): CatalogCache;
