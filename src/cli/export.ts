import { Command } from 'commander'
import { exportStorage } from '../service/moving/export-storage.ts'
import { placeOf, withPlace } from './import.ts'
import { print, say } from './terminal.ts'

type Options = Parameters<typeof placeOf>[0] & { out: string; tenant: string; jobs: number }

export const exportCommand = (): Command =>
  withPlace(new Command('export').description('write files, rows and policies as Supabase Storage keeps them'), 'to')
    .requiredOption('--out <path>', 'folder for storage.sql, and for attributes.txt beside --folder')
    .action(async (options: Options) => {
      const report = await exportStorage({ to: placeOf(options), tenant: options.tenant, folder: options.out, jobs: options.jobs }, say)
      print(JSON.stringify(report, null, 2))
      if (report.failed > 0 || report.withoutBytes > 0) process.exitCode = 1
    })
