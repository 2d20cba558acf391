/** Relation aliases, counted: the same plan gives the same text. */
export type Aliases = {
    readonly next: () => string;
};
export declare function createAliases(): Aliases;
