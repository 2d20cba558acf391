/** No half of a surrogate pair: text that survives UTF-8 and comes back the same. */
export declare const isWellFormed: (text: string) => boolean;
/** Halves of surrogate pairs become U+FFFD, as any encoder would make of them. */
export declare const toWellFormed: (text: string) => string;
/** Printable ASCII stays, the rest is percent-encoded: for showing a caller what was wrong. */
export declare const escapeControls: (text: string) => string;
