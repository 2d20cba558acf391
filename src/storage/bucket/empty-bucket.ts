import { ServiceError } from '../../std/service-error.ts'
import { askAsService, isService, unhurried } from '../ask.ts'
import type { Call, StorageDeps } from '../deps.ts'
import { invalidRole, noSuchBucket, tooManyToEmpty } from '../errors.ts'
import type { BucketId } from '../key.ts'
import { forgetEmptying, requestEmptying } from '../rows/emptyings.sql.ts'
import { countObjects } from '../rows/objects.sql.ts'
import { carryOnEmptying, PATIENCE } from './carry-on-emptying.ts'

/** What is removed before the answer; the rest goes on behind it. */
const BEFORE_THE_ANSWER = 2_000

/**
 * Removes what lies in the bucket at this moment. What is written, replaced or moved in afterwards stays, even while the removal goes on. It
 * is promised in the database before anything else happens, so that another process finishes what this one begins.
 * @throws InvalidRole, NoSuchBucket, TooManyObjects
 */
export async function emptyBucket(deps: StorageDeps, call: Call, id: BucketId, signal: AbortSignal): Promise<void> {
  if (!isService(call)) throw invalidRole()
  const most = deps.limits.maxObjectsToEmpty
  if (most !== null) {
    const [counted] = await askAsService(deps, call, [countObjects(id, most + 1)], signal)
    if (Number(counted?.[0]?.[0]) > most) throw tooManyToEmpty()
  }
  const [promised] = await askAsService(deps, call, [requestEmptying(id, PATIENCE)], signal)
  const moment = promised?.[0]?.[0]
  if (moment == null) throw noSuchBucket()

  try {
    if (await carryOnEmptying(deps, call, id, BEFORE_THE_ANSWER, unhurried())) return
  } catch (error) {
    // a refusal, of a trigger of the owner's perhaps, would be repeated for ever
    if (error instanceof ServiceError && error.status < 500) await askAsService(deps, call, [forgetEmptying(id, moment)], unhurried())
    throw error
  }
  deps.inBackground(`emptying bucket ${id}`, async (abort) => {
    await carryOnEmptying(deps, call, id, Number.POSITIVE_INFINITY, abort)
  })
}
