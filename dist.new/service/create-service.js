import { compose } from './compose.js';
import { openDataFolder } from './data-folder.js';
import { lockFolder } from './folder-lock.js';
import { checkAddress, listen } from './listen.js';
import { foreignDatabase, openDatabase } from './open-database.js';
import { openOwnDatabase } from './own-database.js';
import { openSecrets } from './secrets.js';
/**
 * Starts a service: folder, lock, secrets, database, then the HTTP server. When it resolves, requests are answered.
 * What was started is stopped in reverse order, also when a later step fails.
 *
 * @throws StartupError
 */
export async function createService({ loaded, log, onLine, onLost }) {
    const { config } = loaded;
    const closers = [];
    const closeAll = async () => {
        for (let close = closers.pop(); close; close = closers.pop())
            await close();
    };
    try {
        const folder = await openDataFolder(config.dataFolder);
        let baseUrl = null;
        const lock = await lockFolder(folder, () => ({ pid: process.pid, baseUrl }));
        closers.push(lock.release);
        await checkAddress(config.host, config.port);
        const secrets = await openSecrets(folder, config.jwtSecret);
        onLine('starting the database');
        const database = config.databaseUrl === null
            ? await openOwnDatabase({ config, dataFolder: folder, observe: log.observe, onLine, onLost })
            : { ...foreignDatabase(config.databaseUrl), stop: async () => undefined };
        closers.push(database.stop);
        const logins = await openDatabase(database, secrets.jwtSecret, onLine);
        const composed = await compose({ config, dataFolder: folder, jwtSecret: secrets.jwtSecret, logins, log });
        closers.push(composed.end);
        closers.push(() => closeServer(composed.app, config.drainLimit));
        baseUrl = await listen(composed.app, config.host, config.port);
        composed.begin();
        closers.push(async () => composed.withdraw());
        let stopped;
        const stop = () => {
            stopped ??= closeAll();
            return stopped;
        };
        return { baseUrl, databaseUrl: database.ownerUrl, secrets, stop };
    }
    catch (error) {
        await closeAll();
        throw error;
    }
}
/** No new connections, idle ones closed, running requests finished; what is left after the limit is cut off. */
async function closeServer(app, limitMs) {
    const cut = setTimeout(() => app.server.closeAllConnections(), limitMs);
    try {
        await app.close();
    }
    finally {
        clearTimeout(cut);
    }
}
