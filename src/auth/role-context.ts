import type { RoleName } from '../std/brand.ts'

/** Who asks: what PostgreSQL must know to decide. Made once a token, shared by its requests. */
export type RoleContext = {
  readonly role: RoleName
  /** claim `sub`; null when the token has none */
  readonly subject: string | null
  /** the whole payload as JSON text, for `request.jwt.claims`; `{"role":"anon"}` when nobody signed in */
  readonly claims: string
  /** the token itself, for `request.jwt`; empty when there was none */
  readonly token: string
  /** of one request: transactions whose effects it has to see, as its sender was told by another process; PostgreSQL's `xid8` */
  readonly after?: readonly bigint[]
}
