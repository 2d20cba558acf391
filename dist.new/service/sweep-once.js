import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createFsByteStore } from '../bytes/fs.js';
import { createFsStoreMarker } from '../bytes/store-marker.js';
import { loadConfig } from '../config/load-config.js';
import { createInFlight } from '../storage/sweep/in-flight.js';
import { createSweeper } from '../storage/sweep/sweeper.js';
import { sweepOptions } from './compose-storage.js';
import { openConnections } from './connections.js';
import { openDataFolder } from './data-folder.js';
import { openDatabase } from './open-database.js';
import { openSecrets } from './secrets.js';
import { withDatabase } from './with-database.js';
/** One pass of the sweeper, beside a running service or without one. */
export async function sweepOnce(once, onLine) {
    const { config } = loadConfig();
    const dataFolder = await openDataFolder(config.dataFolder);
    const { jwtSecret } = await openSecrets(dataFolder, config.jwtSecret);
    return withDatabase(onLine, async (database) => {
        const connections = openConnections(config, await openDatabase(database, jwtSecret, onLine), () => undefined);
        const folder = join(dataFolder, 'bytes');
        const store = createFsByteStore({ folder, maxConcurrentSyncs: 1 });
        try {
            return await createSweeper({
                asService: connections.asService,
                bytes: store,
                marker: createFsStoreMarker(folder),
                inFlight: createInFlight(),
                newId: randomUUID,
                options: sweepOptions(config),
                observe: () => undefined,
            }).sweepOnce(once);
        }
        finally {
            await store.close();
            await connections.end();
        }
    });
}
