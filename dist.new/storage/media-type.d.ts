/** Printable ASCII: what may be sent back as the value of a header without a second thought (RFC 9110 5.5). */
export declare const isHeaderText: (text: string) => boolean;
/** What a file is when nobody says (RFC 9110 8.3). */
export declare const UNKNOWN_TYPE = "application/octet-stream";
/** HTML becomes plain text, as the peer does in lower case only. */
export declare const servedType: (type: string) => string;
/**
 * Whether a browser might run what is in it: anything that is not known to be inert. HTML, SVG, XML and its kin, PDF, JavaScript, CSS,
 * `multipart/*` and types nobody has heard of are all on this side.
 */
export declare function isActive(type: string): boolean;
