import { Command, Option } from 'commander'
import { copyBytes } from '../service/moving/copy-bytes.ts'
import { jobs } from './import.ts'
import { print, say } from './terminal.ts'

type Options = { from: 'fs' | 's3'; to: 'fs' | 's3'; jobs: number; verify?: boolean }

export const bytesCommand = (): Command =>
  new Command('bytes').description('the stored bytes').addCommand(
    new Command('copy')
      .description('bring every stored version into the other store, also while the service runs')
      .addOption(new Option('--from <store>', 'where they are').choices(['fs', 's3']).makeOptionMandatory())
      .addOption(new Option('--to <store>', 'where they shall be').choices(['fs', 's3']).makeOptionMandatory())
      .option('--verify', 'read what is there already, and compare it too')
      .option('--jobs <number>', 'versions at once', jobs, 8)
      .action(async ({ verify = false, ...options }: Options) => {
        const report = await copyBytes({ ...options, verify }, say)
        print(JSON.stringify(report, null, 2))
        if (!report.complete) process.exitCode = 1
      }),
  )
