import { fromDatabase } from './database-error.js';
/**
 * One round trip as whoever asks; their row security decides. Never read-only: a policy may call functions that write.
 * Refusals come as errors of this face; `refused` sees them first, for those whose meaning depends on the use case.
 */
export async function askAsCaller(deps, call, statements, signal, end = 'commit', refused = fromDatabase) {
    try {
        return await deps.asCaller({ as: call.as, access: 'read write', end, settings: call.settings, statements }, signal);
    }
    catch (error) {
        throw refused(error);
    }
}
/** One round trip as the service, where it has to see or write what the caller may not. */
export async function askAsService(deps, call, statements, signal, refused = fromDatabase) {
    try {
        return await deps.asService({ access: 'read write', end: 'commit', settings: call.settings, statements }, signal);
    }
    catch (error) {
        throw refused(error);
    }
}
/** Whether the caller is the service itself: what it may do needs no question of its own. */
export const isService = (call) => call.as.role === 'service_role';
/** For what must finish once its bytes are stored, whoever has gone away meanwhile. */
export const unhurried = () => new AbortController().signal;
