import { Command } from 'commander';
import { migrateDatabase } from '../service/open-database.js';
import { withDatabase } from '../service/with-database.js';
import { print, say } from './terminal.js';
export const migrateCommand = () => new Command('migrate')
    .description('bring the database to this release, as every start does; with a superuser in DATABASE_URL for a login that may not')
    .action(async () => {
    const ran = await withDatabase(say, (database) => migrateDatabase(database, say));
    print(ran.length === 0 ? 'The database is up to date.' : `${ran.length} files ran.`);
});
