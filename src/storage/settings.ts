import type { Setting } from '../pg/scoped-batch.ts'

/** The name of what is going on, as policies compare it (`storage.operation()`); the peer's words, its two slips included. */
export type Operation =
  | `storage.bucket.${'create' | 'delete' | 'empty' | 'list' | 'get' | 'update'}`
  | `storage.object.${'upload' | 'upload_update' | 'upload_signed' | 'sign_upload_url' | 'sign' | 'sign_many' | 'copy' | 'move'}`
  | `storage.object.${'delete' | 'delete_many' | 'list' | 'list_v2' | 'get_public' | 'get_authenticated' | 'get_signed' | 'info_public'}`
  | 'object.get_authenticated_info'
  | 'object.head_authenticated_info'

/** Headers whose value is a credential: policies have no use for them, `request.jwt.claims` says who asks. */
const CREDENTIALS = new Set(['authorization', 'apikey', 'cookie', 'proxy-authorization', 'x-signature'])

export type RequestFacts = {
  readonly method: string
  /** path and query as they came, without the mount's prefix */
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** Always these names in this order, so that the preamble stays prepared. */
export function storageSettings(operation: Operation, { method, path, headers }: RequestFacts): readonly Setting[] {
  const shown: Record<string, unknown> = {}
  for (const name of Object.keys(headers)) if (!CREDENTIALS.has(name)) shown[name] = headers[name]
  return [
    ['storage.operation', operation],
    ['request.method', method],
    ['request.path', path],
    ['request.headers', JSON.stringify(shown)],
    // opens the guard that refuses hand-made deletions
    ['storage.allow_delete_query', 'true'],
  ]
}
