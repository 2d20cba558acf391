import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { PlainBucket } from '../../bytes/s3/plain-bucket.ts'
import type { Config } from '../../config/options.ts'
import { StartupError } from '../../config/startup-error.ts'
import { s3Place, withSdk } from '../open-store.ts'
import { filesInBucket, filesInFolder, type PeerFiles } from './peer-files.ts'

/** Where the files of a Supabase Storage are. */
export type PeerPlace =
  | { readonly kind: 'folder'; readonly folder: string }
  | {
      readonly kind: 'bucket'
      readonly bucket: string
      readonly endpoint: string | null
      readonly region: string | null
      readonly pathStyle: boolean
    }

/** @throws StartupError */
export async function openPeerFiles(place: PeerPlace, config: Config): Promise<PeerFiles> {
  if (place.kind === 'bucket') return filesInBucket(await openPeerBucket(place, config))
  const folder = resolve(place.folder)
  const found = await stat(folder).catch(() => null)
  if (!found?.isDirectory()) throw new StartupError(`There is no folder ${folder}.`)
  return filesInFolder(folder)
}

/** Credentials are those of the AWS SDK's own chain. What is not given is as in the settings of our own store. */
export async function openPeerBucket(place: Extract<PeerPlace, { kind: 'bucket' }>, config: Config): Promise<PlainBucket> {
  const { createPlainBucket } = await withSdk(() => import('../../bytes/s3/plain-bucket.ts'))
  const own = s3Place(config, place.bucket)
  return createPlainBucket(
    {
      ...own,
      prefix: '',
      endpoint: place.endpoint ?? own.endpoint,
      region: place.region ?? own.region,
      pathStyle: place.pathStyle || own.pathStyle,
    },
    { callMs: config.s3CallLimit, objectMs: config.s3ObjectLimit },
  )
}
