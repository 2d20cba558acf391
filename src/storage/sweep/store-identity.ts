import type { ByteStore } from '../../bytes/byte-store.ts'
import type { StoreMarker } from '../../bytes/store-marker.ts'
import { adoptStore, findStoreId, hasVersions } from '../rows/sweep.sql.ts'
import type { AsService } from './sweep-options.ts'

export type StoreIdentityDeps = {
  readonly asService: AsService
  readonly bytes: ByteStore
  readonly marker: StoreMarker
  /** a random UUID */
  readonly newId: () => string
}

/** `mismatch`: the bytes there are not those of this database, so nothing may be written or removed; `why` is a sentence for the operator. */
export type StoreIdentity = { readonly kind: 'same' | 'adopted' } | { readonly kind: 'mismatch'; readonly why: string }

/**
 * Before serving: does the store belong to the database? An empty mount point, another folder or another database show here.
 * Where neither side has a mark yet, and nothing could be mistaken, both get one.
 */
export async function identifyStore(deps: StoreIdentityDeps, signal: AbortSignal): Promise<StoreIdentity> {
  const first = await compare(deps, signal)
  // another process that starts at this moment marks one side after the other, and may have stored something since
  return first.kind === 'mismatch' ? compare(deps, signal) : first
}

async function compare(deps: StoreIdentityDeps, signal: AbortSignal): Promise<StoreIdentity> {
  const { asService, bytes, marker, newId } = deps
  const ask = async (...statements: Parameters<AsService>[0]['statements']) =>
    asService({ access: 'read write', end: 'commit', settings: [], statements }, signal)

  const marked = await marker.read()
  const [known, versions] = await ask(findStoreId(), hasVersions())
  const storeId = known?.[0]?.[0] ?? null
  if (storeId !== null && marked === storeId) return { kind: 'same' }
  if (storeId !== null && marked !== null)
    return { kind: 'mismatch', why: `the store is ${marked}, the database belongs to the store ${storeId}` }
  if (storeId !== null && versions?.[0]?.[0] === 't')
    return { kind: 'mismatch', why: `the store has no mark, but the database has objects in the store ${storeId}: is its disk mounted?` }
  const isEmpty = (await bytes.list(null, 1)).length === 0
  if (!isEmpty) return { kind: 'mismatch', why: 'the store holds bytes that this database knows nothing of' }
  if (marked !== null && storeId === null) {
    await ask(adoptStore(marked))
  } else if (storeId === null) {
    await ask(adoptStore(newId()))
  }
  const [adopted] = await ask(findStoreId())
  const id = adopted?.[0]?.[0]
  if (!id) return { kind: 'mismatch', why: 'the database does not keep the mark of its store' }
  if (marked === null) await marker.write(id)
  return marked === null || marked === id
    ? { kind: 'adopted' }
    : { kind: 'mismatch', why: `the store is ${marked}, the database belongs to the store ${id}` }
}

/** Why nothing may be removed now; null when the store's mark is the database's. */
export function whyNotOurs(marked: string | null, storeId: string | null): string | null {
  if (marked === null) return 'the store has no mark: is its disk mounted?'
  if (storeId === null) return `the store is ${marked}, the database belongs to none`
  return storeId === marked ? null : `the store is ${marked}, the database belongs to the store ${storeId}`
}
