import { mkdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { ByteStore } from '../bytes/byte-store.ts'
import { createDigestThreads } from '../bytes/digest-threads.ts'
import { createFsByteStore } from '../bytes/fs.ts'
import { createLayeredByteStore } from '../bytes/layered.ts'
import type { S3Place } from '../bytes/s3/s3-calls.ts'
import { createFsStoreMarker, type StoreMarker } from '../bytes/store-marker.ts'
import { createFsStoreNote, type StoreNote } from '../bytes/store-note.ts'
import { createWriteThreads } from '../bytes/write-threads.ts'
import type { Config } from '../config/options.ts'
import { StartupError } from '../config/startup-error.ts'
import { readSeenDatabase, type SeenDatabase } from '../storage/sweep/database-identity.ts'

export type OpenedStore = {
  readonly store: ByteStore
  readonly marker: StoreMarker
  /** about the database that was seen beside the bytes */
  readonly note: StoreNote<SeenDatabase>
  /** for people: "the folder ..." or "the bucket ..." */
  readonly place: string
}

export type StoreKind = Config['store']

const DATABASE_NOTE = 'stowage-database'

/** Half of Node's default thread pool: a slow disk leaves threads to readers. */
const CONCURRENT_SYNCS = 2
/** For small files. */
const WRITE_THREADS = 2
/** For large files: what is hashed by so many keeps the other cores for what receives them. */
const DIGEST_THREADS = 2

/** The store, or the two, that the settings name. @throws StartupError */
export async function openStores(config: Config, dataFolder: string): Promise<OpenedStore> {
  const front = await openStore(config.store, config, dataFolder)
  if (config.storeAlso === null) return front
  const behind = await openStore(config.storeAlso, config, dataFolder)
  return {
    store: createLayeredByteStore(front.store, behind.store),
    marker: layeredMarker(front.marker, behind.marker),
    note: { read: async () => (await front.note.read()) ?? (await behind.note.read()), write: front.note.write },
    place: `${front.place} and ${behind.place}`,
  }
}

/** One of them, by its kind. */
export async function openStore(kind: StoreKind, config: Config, dataFolder: string): Promise<OpenedStore> {
  if (kind === 's3') return openS3(config)
  const folder = join(dataFolder, 'bytes')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return {
    store: createFsByteStore({
      folder,
      maxConcurrentSyncs: CONCURRENT_SYNCS,
      maxWaitMs: config.diskWait,
      threads: createWriteThreads(WRITE_THREADS),
      digests: createDigestThreads(Math.min(DIGEST_THREADS, availableParallelism())),
    }),
    marker: createFsStoreMarker(folder),
    note: createFsStoreNote(folder, DATABASE_NOTE, readSeenDatabase),
    place: `the folder ${folder}`,
  }
}

async function openS3(config: Config): Promise<OpenedStore> {
  if (config.s3Bucket === null) throw new StartupError('STOWAGE_S3_BUCKET must name the bucket, since the store is s3')
  const { createS3ByteStore } = await withSdk(() => import('../bytes/s3/s3.ts'))
  const { store, marker, noteOf } = createS3ByteStore({
    place: s3Place(config, config.s3Bucket),
    limits: { callMs: config.s3CallLimit, objectMs: config.s3ObjectLimit },
  })
  return {
    store,
    marker: tellingMarker(marker, config.s3Bucket),
    note: noteOf(DATABASE_NOTE, readSeenDatabase),
    place: `the bucket ${config.s3Bucket}`,
  }
}

export const s3Place = (config: Config, bucket: string): S3Place => ({
  bucket,
  endpoint: config.s3Endpoint,
  region: config.s3Region,
  pathStyle: config.s3PathStyle,
  prefix: config.s3Prefix === null ? '' : `${config.s3Prefix.replace(/\/$/, '')}/`,
  credentials: null,
})

/** The SDK is read only when it is wanted: it costs a quarter of a second and 30 MB. @throws StartupError when it was left out */
export async function withSdk<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new StartupError('For bytes on S3 the package @aws-sdk/client-s3 is needed, which was left out on installation.', {
      cause: error,
    })
  }
}

/** The first thing that is read of a store: what is wrong with its address or its credentials shows here. */
function tellingMarker(marker: StoreMarker, bucket: string): StoreMarker {
  return {
    ...marker,
    read: async () => {
      try {
        return await marker.read()
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        throw new StartupError(`The bucket ${bucket} cannot be read: ${why}. Check the STOWAGE_S3_ settings and the credentials.`, {
          cause: error,
        })
      }
    },
  }
}

/** The front store takes over the mark of the one behind it: they hold one set of versions. */
const layeredMarker = (front: StoreMarker, behind: StoreMarker): StoreMarker => ({
  read: async () => {
    const [marked, before] = await Promise.all([front.read(), behind.read()])
    if (marked !== null && before !== null && marked !== before)
      throw new StartupError(`STOWAGE_STORE is the store ${marked}, and STOWAGE_STORE_ALSO is ${before}: they do not belong together.`)
    if (marked === null && before !== null) await front.write(before)
    return marked ?? before
  },
  write: front.write,
})
