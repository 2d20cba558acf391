import { askAsService, unhurried } from '../ask.js';
import { fromDatabase, isRefusal } from '../database-error.js';
import { keyAlreadyExists, preconditionFailed, uploadInterrupted } from '../errors.js';
import { isTrue } from '../rows/columns.js';
import { abandonVersion, publishNew, publishOver } from '../rows/ledger.sql.js';
import { objectRecord, recordObject, requireVersion, VERSION_CHANGED } from '../rows/objects.sql.js';
/**
 * The commit: the row names the new bytes, the old ones go to the outbox, the reservation ends, in one transaction. It is never given up
 * because the caller went away. When the connection breaks nobody knows whether it happened, so it is asked for once more:
 * a reservation can be used only once, and a row that names our version says that it was.
 * @throws KeyAlreadyExists, PreconditionFailed, UploadInterrupted, RelatedResourceMissing
 */
export async function publish(deps, call, replacing, publication) {
    const { bucketId, key, version } = publication;
    const statements = replacing.kind === 'only' ? [requireVersion(bucketId, key, replacing.version)] : [];
    statements.push(replacing.kind === 'never' ? publishNew(publication) : publishOver(publication), recordObject(bucketId, key));
    const attempt = async () => (await askAsService(deps, call, statements, unhurried(), changed)).slice(-2);
    let answer;
    try {
        answer = await attempt();
    }
    catch (error) {
        if (!isConnectionLost(error))
            throw error;
        answer = await attempt();
    }
    const [reserved, id] = answer[0]?.[0] ?? [];
    const row = answer[1]?.[0];
    const record = row && objectRecord(row);
    if (!isTrue(reserved)) {
        if (record?.version === version)
            return record;
        throw uploadInterrupted();
    }
    if (id == null || !record)
        throw keyAlreadyExists();
    return record;
}
/** The object that a condition was about is another one by now. */
const changed = (error) => isRefusal(error) && error.sqlstate === VERSION_CHANGED ? preconditionFailed() : fromDatabase(error);
function isConnectionLost(error) {
    const cause = error instanceof Error ? error.cause : null;
    return cause instanceof Error && cause.name === 'PgUnavailable' && 'reason' in cause && cause.reason === 'connection lost';
}
/** Bytes that will not be published, whole or part, are for the sweeper; if even saying so fails, their reservation runs out. */
export function giveUp(deps, call, version) {
    deps.inBackground('giving up an upload', async (signal) => {
        await askAsService(deps, call, [abandonVersion(version)], signal);
    });
}
