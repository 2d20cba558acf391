import { StoreFailed, type StoreFailure } from '../bytes/byte-store.ts'
import type { ServiceError } from '../std/service-error.ts'
import type { StorageDeps } from './deps.ts'
import { storeBroken, storeBusy, storeFull } from './errors.ts'

/** What the store said, as an error of this face, and as an alarm. Anything that did not come from it is handed on as it is. */
export function fromStore(deps: Pick<StorageDeps, 'observe'>, error: unknown): unknown {
  if (!(error instanceof StoreFailed)) return error
  deps.observe({ kind: 'store failed', error })
  return namedStoreFailure(error)
}

export const namedStoreFailure = (error: StoreFailed): ServiceError => NAMED[error.reason]({ cause: error })

const NAMED: Readonly<Record<StoreFailure, (options: ErrorOptions) => ServiceError>> = {
  full: storeFull,
  busy: storeBusy,
  broken: storeBroken,
}
