import type { RoleContext } from '../../auth/role-context.ts'
import type { StorageDeps } from '../../storage/deps.ts'
import type { StatusStyle } from '../wire/storage-error.ts'

/** What the storage routes are made of. */
export type StorageRouteDeps = {
  readonly storage: StorageDeps
  /** @throws ServiceError with the words of the JWT library */
  readonly authenticate: (token: string) => Promise<RoleContext>
  /** who asks where nobody signed in */
  readonly anonymous: RoleContext
  readonly statusStyle: StatusStyle
  readonly caching: CachingOptions
  /** what GET /version says */
  readonly version: string
  /** whether the database answers */
  readonly isHealthy: (signal: AbortSignal) => Promise<boolean>
}

/** The same for one mount: `mount` is the prefix that the routes lie under, '' at the root. */
export type RouteContext = StorageRouteDeps & { readonly mount: string }

/** What a shared cache in front of the service wants to hear. */
export type CachingOptions = {
  /** seconds for `s-maxage` in answers to revalidations; 0: none */
  readonly sharedMaxAge: number
  /** request headers by which a cache says what it has */
  readonly etagHeaders: readonly string[]
}
