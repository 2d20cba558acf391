import { Command } from 'commander';
import { loadConfig } from '../config/load-config.js';
import { StartupError } from '../config/startup-error.js';
import { lastSuperuserUrl } from '../service/embedded-postgres.js';
import { holderOf } from '../service/folder-lock.js';
import { baseUrlOf } from '../service/listen.js';
import { readSecrets } from '../service/secrets.js';
import { print, table } from './terminal.js';
export const keysCommand = () => new Command('keys').description('show address, API keys and database of the data folder').option('--json', 'as JSON').action(keys);
async function keys({ json }) {
    const { config } = loadConfig();
    const { dataFolder } = config;
    const secrets = await readSecrets(dataFolder, config.jwtSecret);
    const databaseUrl = config.databaseUrl ?? (await lastSuperuserUrl(dataFolder));
    if (!secrets || databaseUrl === null)
        throw new StartupError(`There are no keys in ${dataFolder} yet: start the service once.`);
    const baseUrl = (await holderOf(dataFolder))?.baseUrl ?? baseUrlOf(config.host, config.port);
    const { anonKey, serviceKey, jwtSecret } = secrets;
    const all = { anonKey, serviceKey, jwtSecret, databaseUrl, baseUrl };
    if (json)
        return print(JSON.stringify(all));
    print(table([
        ['Address', baseUrl],
        ['Anon key', anonKey],
        ['Service key', serviceKey],
        ['JWT secret', jwtSecret],
        ['Database', databaseUrl],
    ]));
}
