/**
 * The header for `?download`: null where it was not asked for. Percent-encoded in both forms (RFC 8187 3.2.1), so nothing of
 * the name can end the value or the header; the plain form for clients that know no other.
 */
export declare function contentDisposition(download: string | undefined): string | null;
