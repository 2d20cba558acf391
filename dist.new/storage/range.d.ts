import type { ByteRange } from '../bytes/byte-store.ts';
/**
 * The part of an object that a Range header asks for; null: all of it. RFC 9110 14.1.2: several ranges, foreign units and what is
 * no range at all are passed over, so the caller gets the whole.
 * @throws RangeNotSatisfiable for a range that begins behind the end, and for an empty suffix
 */
export declare function byteRange(header: string | undefined, size: number): ByteRange | null;
export declare const contentRange: (range: ByteRange, size: number) => string;
