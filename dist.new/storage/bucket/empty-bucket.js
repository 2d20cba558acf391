import { askAsCaller, askAsService, isService } from '../ask.js';
import { invalidRole, noSuchBucket, tooManyToEmpty } from '../errors.js';
import { findBucket } from '../rows/buckets.sql.js';
import { countObjects, deleteUnchanged } from '../rows/objects.sql.js';
/** Objects in one transaction, so that none is held open for long. */
const BATCH = 500;
/** What is removed before the answer; the rest goes on behind it. */
const BEFORE_THE_ANSWER = 2_000;
/**
 * Removes what lies in the bucket at this moment by the database's clock. What is written or replaced afterwards stays, even
 * while the removal goes on.
 * @throws InvalidRole, NoSuchBucket, TooManyObjects
 */
export async function emptyBucket(deps, call, id, signal) {
    if (!isService(call))
        throw invalidRole();
    const most = deps.limits.maxObjectsToEmpty;
    const [bucket, counted] = await askAsCaller(deps, call, [findBucket(id), countObjects(id, most + 1)], signal);
    if (!bucket?.[0])
        throw noSuchBucket();
    const [count, instant] = counted?.[0] ?? [];
    if (Number(count) > most)
        throw tooManyToEmpty();
    let removed = 0;
    const removeBatch = async (abort) => {
        const [gone = []] = await askAsService(deps, call, [deleteUnchanged(id, instant ?? '-infinity', BATCH)], abort);
        removed += gone.length;
        const done = gone.length === 0;
        deps.observe({ kind: 'bucket emptied', bucket: id, objects: removed, done });
        return done;
    };
    while (removed < BEFORE_THE_ANSWER)
        if (await removeBatch(signal))
            return;
    deps.inBackground(`emptying bucket ${id}`, async (abort) => {
        while (!(await removeBatch(abort)))
            ;
    });
}
