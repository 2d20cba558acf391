import { admitStored } from '../admit.js';
import { askAsCaller, askAsService } from '../ask.js';
import { noSuchKey, relatedResourceMissing } from '../errors.js';
import { findUploadRules, uploadRules } from '../rows/buckets.sql.js';
import { foundObject, moveObject as moveStatement } from '../rows/objects.sql.js';
/**
 * One row changes, as the caller; the bytes stay where they are, so its size does not matter. Into another bucket it goes only if
 * that bucket would have taken it, which is looked at between asking row security and doing it.
 * @throws NoSuchKey, AccessDenied, ResourceAlreadyExists, RelatedResourceMissing, EntityTooLarge, InvalidMimeType
 */
export async function moveObject(deps, call, command, signal) {
    const stays = command.bucket === command.toBucket;
    if (stays) {
        // onto itself: the question is asked, and nothing changes
        await change(deps, call, command, command.key === command.toKey ? 'roll back' : 'commit', signal);
        return;
    }
    const source = await change(deps, call, command, 'roll back', signal);
    const [rows] = await askAsService(deps, call, [findUploadRules(command.toBucket, command.toKey)], signal);
    const rules = uploadRules(rows?.[0]);
    if (!rules)
        throw relatedResourceMissing();
    admitStored(source, command.toKey, rules, deps.limits);
    await change(deps, call, command, 'commit', signal);
}
async function change(deps, call, { bucket, key, toBucket, toKey }, end, signal) {
    const to = { bucket: toBucket, key: toKey, ownerId: call.as.subject };
    const [rows] = await askAsCaller(deps, call, [moveStatement(bucket, key, to)], signal, end);
    const row = foundObject(rows?.[0]);
    if (!row)
        throw noSuchKey();
    return row;
}
