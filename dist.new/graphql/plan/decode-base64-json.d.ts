import { type Json } from '../operation/json.ts';
/** Which step of reading base64, UTF-8 and JSON failed. */
export type DecodeFault = 'base64' | 'utf-8' | 'json';
/** What cursors and nodeIds are: base64 of JSON (RFC 4648 section 4, padded). Numbers keep their text. */
export declare function decodeBase64Json(text: string): {
    readonly json: Json;
} | {
    readonly fault: DecodeFault;
};
