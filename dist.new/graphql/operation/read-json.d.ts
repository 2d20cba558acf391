import { type Json } from './json.ts';
/** The text is no JSON (RFC 8259), or nests deeper than the limit. `position` is a 0-based UTF-16 index. */
export declare class JsonFault extends Error {
    readonly name = "JsonFault";
    readonly position: number;
    constructor(message: string, position: number);
}
/** Deeper than variables of any schema get: filters nest 20 deep, JSON columns are written as text. */
export declare const MAX_JSON_DEPTH = 200;
/**
 * Reads JSON as `JSON.parse` does, but keeps the text of numbers, so that 64-bit integers and long decimals survive.
 * Of a key given twice the last counts. Strings may hold U+0000 and halves of surrogate pairs (RFC 8259 8.2):
 * whoever takes a value out refuses them (`valueFrom`).
 * @throws JsonFault
 */
export declare function readJson(text: string): Json;
/**
 * A JavaScript value as {@link Json}, for callers inside the process: what `JSON.stringify` makes of it, and BigInts as numbers.
 * @throws JsonFault for what cannot be written as JSON: cycles, nesting beyond the limit
 */
export declare function jsonFrom(value: unknown, depth?: number): Json;
