import type { Json } from '../operation/json.ts'
import { readJson } from '../operation/read-json.ts'

/** Which step of reading base64, UTF-8 and JSON failed. */
export type DecodeFault = 'base64' | 'utf-8' | 'json'

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** What cursors and nodeIds are: base64 of JSON (RFC 4648 section 4, padded). Numbers keep their text. */
export function decodeBase64Json(text: string): { readonly json: Json } | { readonly fault: DecodeFault } {
  if (!BASE64.test(text)) return { fault: 'base64' }
  let decoded: string
  try {
    decoded = new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)))
  } catch {
    return { fault: 'utf-8' }
  }
  try {
    return { json: readJson(decoded) }
  } catch {
    return { fault: 'json' }
  }
}
