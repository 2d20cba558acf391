import type { VersionId } from '../../bytes/byte-store.ts'
import { askAsService } from '../ask.ts'
import type { Call, StorageDeps } from '../deps.ts'
import type { BucketId, ObjectKey } from '../key.ts'
import { abandonVersion, reserveVersion } from '../rows/ledger.sql.ts'

/**
 * `receive` brings the bytes of a version in while it is being reserved; `publish` comes when both are done. Nobody is kept waiting for the
 * reservation, and nothing is written for a request that was refused before its first byte. Whatever fails, the version is given up.
 * `isReserved`: it was, together with an earlier question.
 */
export async function underReservation<Received, Published>(
  deps: StorageDeps,
  call: Call,
  claim: { readonly version: VersionId; readonly bucket: BucketId; readonly key: ObjectKey; readonly isReserved?: boolean },
  signal: AbortSignal,
  receive: (signal: AbortSignal) => Promise<Received>,
  publish: (received: Received) => Promise<Published>,
): Promise<Published> {
  const { version, bucket, key } = claim
  if (claim.isReserved) {
    try {
      return await publish(await receive(signal))
    } catch (error) {
      giveUp(deps, call, version)
      throw error
    }
  }
  const failing = new AbortController()
  const reserve = async () => {
    try {
      await askAsService(deps, call, [reserveVersion(version, bucket, key)], signal)
    } catch (error) {
      failing.abort(error)
      throw error
    }
  }
  const [reserved, received] = await Promise.allSettled([reserve(), receive(AbortSignal.any([signal, failing.signal]))])
  try {
    if (reserved.status === 'rejected') throw reserved.reason
    if (received.status === 'rejected') throw received.reason
    return await publish(received.value)
  } catch (error) {
    if (reserved.status === 'rejected') removeUnreserved(deps, version)
    giveUp(deps, call, version)
    throw error
  }
}

/** Bytes may have come in whole while their reservation waited: nothing leads to them then but a listing of the store. */
function removeUnreserved(deps: StorageDeps, version: VersionId): void {
  deps.inBackground('removing an upload that was not reserved', () => deps.bytes.delete([version]))
}

/** Bytes that will not be published, whole or part, are for the sweeper; if even saying so fails, their reservation runs out. */
export function giveUp(deps: StorageDeps, call: Call, version: VersionId): void {
  deps.inBackground('giving up an upload', async (signal) => {
    await askAsService(deps, call, [abandonVersion(version)], signal)
  })
}
