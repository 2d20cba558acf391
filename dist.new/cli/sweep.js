import { Command } from 'commander';
import { sweepOnce } from '../service/sweep-once.js';
import { print, say } from './terminal.js';
export const sweepCommand = () => new Command('sweep')
    .description('remove stored bytes that no object needs any more, as the running service does by itself')
    .option('--dry-run', 'say what would happen, and change nothing')
    .option('--scan', 'compare the whole store with the database now')
    .option('--beyond-limits', 'condemn more unknown bytes than the sweeper dares by itself')
    .action(async (options) => {
    print(JSON.stringify(await sweepOnce(options, say), null, 2));
});
