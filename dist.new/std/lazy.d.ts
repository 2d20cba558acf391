/** Computed at the first call, then remembered. */
export declare function lazy<T>(compute: () => T): () => T;
