import { Command, InvalidArgumentError } from 'commander'
import { StartupError } from '../config/startup-error.ts'
import { importStorage } from '../service/moving/import-storage.ts'
import type { PeerPlace } from '../service/moving/open-peer-files.ts'
import { print, say } from './terminal.ts'

type PlaceOptions = { folder?: string; bucket?: string; endpoint?: string; region?: string; pathStyle?: boolean }
type Options = PlaceOptions & { from?: string; tenant: string; jobs: number }

export const importCommand = (): Command =>
  withPlace(new Command('import').description('take over a Supabase Storage: its rows, its policies and its files'), 'from')
    .option('--from <url>', 'its database; without it, its rows are taken to be in ours already')
    .action(async (options: Options) => {
      const report = await importStorage(
        { from: options.from ?? null, files: placeOf(options), tenant: options.tenant, jobs: options.jobs },
        say,
      )
      print(JSON.stringify(report, null, 2))
      if (report.objects.failed > 0 || report.policies.failed.length > 0 || report.buckets.skipped.length > 0) process.exitCode = 1
    })

/** The options that say where the peer's files are. */
export const withPlace = (command: Command, direction: 'from' | 'to'): Command =>
  command
    .option('--folder <path>', `the folder ${direction === 'from' ? 'of' : 'for'} its files, the one that holds the tenant's`)
    .option('--bucket <name>', `the bucket ${direction === 'from' ? 'of' : 'for'} its files, with the credentials of the AWS SDK`)
    .option('--endpoint <url>', 'of the bucket, unless it is that of STOWAGE_S3_ENDPOINT')
    .option('--region <name>', 'of the bucket, unless it is that of STOWAGE_S3_REGION')
    .option('--path-style', "the bucket's name in the path")
    .option('--tenant <name>', 'first part of its keys', 'storage-single-tenant')
    .option('--jobs <number>', 'objects at once', jobs, 4)

export function placeOf({ folder, bucket, endpoint, region, pathStyle }: PlaceOptions): PeerPlace {
  if ((folder === undefined) === (bucket === undefined)) throw new StartupError('Name either --folder or --bucket.')
  if (folder !== undefined) return { kind: 'folder', folder }
  return { kind: 'bucket', bucket: bucket ?? '', endpoint: endpoint ?? null, region: region ?? null, pathStyle: pathStyle ?? false }
}

const MOST_JOBS = 64

export function jobs(text: string): number {
  const number = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (number < 1 || number > MOST_JOBS) throw new InvalidArgumentError(`It takes a whole number from 1 to ${MOST_JOBS}.`)
  return number
}
