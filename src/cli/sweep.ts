import { Command, InvalidArgumentError, Option } from 'commander'
import { duration } from '../config/setting-types.ts'
import type { Milliseconds } from '../std/brand.ts'
import type { SweepOnce } from '../storage/sweep/sweeper.ts'
import { print, say } from './terminal.ts'

type Options = SweepOnce & { readonly hold?: Milliseconds; readonly release?: boolean }

export const sweepCommand = (): Command =>
  new Command('sweep')
    .description('remove stored bytes that no object needs any more, as the running service does by itself')
    .option('--dry-run', 'say what would be removed and why, and change nothing')
    .option('--scan', 'compare the whole store with the database now')
    .option('--beyond-limits', 'condemn more unknown bytes than the sweeper dares by itself')
    .option('--accept-database', 'the database was restored or moved on purpose: take it for the right one from now on')
    .addOption(new Option('--hold <time>', 'remove nothing for so long, like 3h, in no process: for a backup').argParser(readTime))
    .addOption(new Option('--release', 'end that').conflicts('hold'))
    .action(sweep)

async function sweep({ hold, release, ...once }: Options): Promise<void> {
  // only this command needs it: the others start sooner without
  const { holdSweeping, releaseSweeping, sweepOnce } = await import('../service/sweep-once.ts')
  if (hold !== undefined) print(`Nothing is removed until ${await holdSweeping(hold, say)}.`)
  else if (release) print((await releaseSweeping(say)) ? 'What is not needed is removed again.' : 'Nothing was on hold.')
  else print(JSON.stringify(await sweepOnce(once, say), null, 2))
}

const HOUR = 3_600_000

function readTime(text: string): Milliseconds {
  try {
    return duration(1_000, 30 * 24 * HOUR).read(text)
  } catch (error) {
    throw new InvalidArgumentError(`It must be ${error instanceof Error ? error.message : 'a time'}.`)
  }
}
