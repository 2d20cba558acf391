import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../std/service-error.js';
import { singleFlight } from '../std/single-flight.js';
import { isMissingExtension } from './missing-extension.js';
const RETRY_MS = 50;
/**
 * Reflects once for however many requests wait. Between an owner's `drop extension` and `create extension` it waits and tries again
 * for `patienceMs`; after that the answer is that the extension is missing.
 */
export function createCatalogCache(deps) {
    let known = null;
    const reload = singleFlight(async () => {
        const startedAt = performance.now();
        for (;;) {
            try {
                known = await deps.reflect();
                deps.onReflected?.(known, performance.now() - startedAt);
                return known;
            }
            catch (error) {
                if (!isMissingExtension(error))
                    throw error;
                if (performance.now() - startedAt > deps.patienceMs)
                    throw extensionMissing(error);
                await sleep(RETRY_MS);
            }
        }
    });
    return {
        current: async () => known ?? (await reload('catalog')),
        after: async (stale) => (known && known !== stale ? known : await reload('catalog')),
    };
}
const extensionMissing = (cause) => new ServiceError('ExtensionMissing', 503, 'The extension stowage_graphql is not installed in this database. Run "create extension stowage_graphql" or "stowage extension install".', { cause });
