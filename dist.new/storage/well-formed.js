/** No half of a surrogate pair: text that survives UTF-8 and comes back the same. */
export const isWellFormed = (text) => !/\p{Surrogate}/u.test(text);
/** Halves of surrogate pairs become U+FFFD, as any encoder would make of them. */
export const toWellFormed = (text) => text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
/** Printable ASCII stays, the rest is percent-encoded: for showing a caller what was wrong. */
export const escapeControls = (text) => toWellFormed(text).replace(/[^\x20-\x7e]+/g, encodeURIComponent);
