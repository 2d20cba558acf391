import { StoreFailed, type StoreFailure, StoreUnavailable } from '../bytes/byte-store.ts'
import type { ServiceError } from '../std/service-error.ts'
import type { StorageDeps } from './deps.ts'
import { StoreBusy, storeBroken, storeFull } from './errors.ts'

/** What the store said, as an error of this face, and as an alarm. Anything that did not come from it is handed on as it is. */
export function fromStore(deps: Pick<StorageDeps, 'observe'>, error: unknown): unknown {
  if (!(error instanceof StoreFailed)) return error
  deps.observe({ kind: 'store failed', error })
  return namedStoreFailure(error)
}

export const namedStoreFailure = (error: StoreFailed): ServiceError => NAMED[error.reason](error)

const NAMED: Readonly<Record<StoreFailure, (cause: StoreFailed) => ServiceError>> = {
  full: (cause) => storeFull({ cause }),
  busy: (cause) => new StoreBusy(cause instanceof StoreUnavailable ? cause.retryAfterSeconds : null, { cause }),
  broken: (cause) => storeBroken({ cause }),
}
