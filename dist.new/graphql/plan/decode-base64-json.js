import {} from '../operation/json.js';
import { readJson } from '../operation/read-json.js';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** What cursors and nodeIds are: base64 of JSON (RFC 4648 section 4, padded). Numbers keep their text. */
export function decodeBase64Json(text) {
    if (!BASE64.test(text))
        return { fault: 'base64' };
    let decoded;
    try {
        decoded = new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
    }
    catch {
        return { fault: 'utf-8' };
    }
    try {
        return { json: readJson(decoded) };
    }
    catch {
        return { fault: 'json' };
    }
}
