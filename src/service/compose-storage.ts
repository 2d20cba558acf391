import { randomUUID } from 'node:crypto'
import { ANONYMOUS, type Authenticate } from '../auth/authenticate.ts'
import { createUrlTokens } from '../auth/url-tokens.ts'
import { createVersionIds } from '../bytes/version-ids.ts'
import type { Config } from '../config/options.ts'
import { StartupError } from '../config/startup-error.ts'
import type { StorageRouteDeps } from '../http/storage/route-deps.ts'
import type { Observe } from '../observe/observation.ts'
import { bytes, milliseconds, seconds } from '../std/brand.ts'
import { createResumer } from '../storage/bucket/resume-emptyings.ts'
import { createKeptBytes } from '../storage/kept-bytes.ts'
import { createPrivateBuckets } from '../storage/private-buckets.ts'
import { createInFlight } from '../storage/sweep/in-flight.ts'
import { identifyStore } from '../storage/sweep/store-identity.ts'
import type { SweepOptions } from '../storage/sweep/sweep-options.ts'
import { createSweeper } from '../storage/sweep/sweeper.ts'
import { createVerifiedReads } from '../storage/verified-reads.ts'
import { createBackground } from './background.ts'
import type { Connections } from './connections.ts'
import { observeStorage, observeSweep } from './observe-storage.ts'
import { openStores } from './open-store.ts'
import { packageVersion } from './package-root.ts'
import type { Watching } from './watch-work.ts'

export type StorageFace = {
  readonly routes: StorageRouteDeps
  /** the mark that ties the store to its database */
  readonly readMark: () => Promise<string | null>
  /** the upkeep: sweeping, and emptying what a process that is gone has left half-full */
  readonly start: () => void
  /** ends what goes on behind answers, then closes the store */
  readonly stop: () => Promise<void>
}

const MIB = 2 ** 20
const READER_GRACE = milliseconds(60_000)
const SCAN_INTERVAL = milliseconds(24 * 3_600_000)

export const sweepOptions = (config: Config): SweepOptions => ({
  intervalMs: config.sweepInterval,
  graceMs: config.sweepGrace,
  readerGraceMs: milliseconds(Math.min(READER_GRACE, config.sweepGrace)),
  scanIntervalMs: SCAN_INTERVAL,
  maxOrphanShare: 0.01,
  maxOrphans: 1_000,
})

/**
 * The storage face: bytes in the store that the settings name, rows over the pools.
 * @throws StartupError when the stored files are not those of the database
 */
export async function composeStorage(deps: {
  readonly config: Config
  readonly dataFolder: string
  readonly jwtSecret: string
  readonly connections: Connections
  readonly authenticate: Authenticate
  readonly observe: Observe
  readonly watching: Watching
}): Promise<StorageFace> {
  const { config, connections, authenticate, observe } = deps
  const { store, marker, note, place } = await openStores(config, deps.dataFolder)
  const now = () => new Date()
  const identity = await identifyStore(
    { asService: connections.asService, bytes: store, marker, newId: randomUUID },
    new AbortController().signal,
  )
  if (identity.kind === 'mismatch')
    throw new StartupError(`The files in ${place.replace(/^the folder /, '')} do not belong to the database: ${identity.why}.`)

  const inFlight = createInFlight()
  const background = createBackground(observe)
  const urlTokens = createUrlTokens({ secret: deps.jwtSecret, authenticate, now })
  const sweeper = createSweeper({
    asService: connections.asService,
    bytes: store,
    marker,
    note,
    inFlight,
    newId: randomUUID,
    options: sweepOptions(config),
    observe: observeSweep(observe),
  })
  const resumer = createResumer({
    asService: connections.asService,
    observe: observeStorage(observe),
    intervalMs: config.sweepInterval,
  })
  return {
    readMark: marker.read,
    start: () => {
      sweeper.start()
      resumer.start()
    },
    routes: {
      storage: {
        asCaller: connections.asCaller,
        asCallerAtLength: connections.asCallerAtLength,
        asService: connections.asService,
        bytes: deps.watching.bytes(store),
        verifyReads: config.verifyReads,
        keptBytes: createKeptBytes(config.smallObjectCache),
        verifiedReads: createVerifiedReads(),
        privateBuckets: createPrivateBuckets(),
        now,
        newVersion: createVersionIds(now, randomUUID),
        limits: {
          maxObjectBytes: config.uploadLimit,
          maxPlainUploadBytes: null,
          maxObjectsToEmpty: null,
          // bounded by the length of a JSON body
          maxBulkKeys: null,
          uploadUrlLife: seconds(config.uploadUrlLifetime / 1000),
          maxSignedUrlLife: seconds(config.maxSignedUrlLifetime / 1000),
          maxUserMetadataBytes: bytes(MIB),
        },
        signUrl: urlTokens.sign,
        verifyUrl: urlTokens.verify,
        hold: inFlight.hold,
        inBackground: background.run,
        observe: observeStorage(observe),
      },
      authenticate,
      anonymous: ANONYMOUS,
      statusStyle: config.storageStatus,
      caching: { sharedMaxAge: 0, etagHeaders: ['if-none-match'] },
      version: packageVersion(),
      isHealthy: () => connections.isAlive(config.poolWait),
    },
    stop: async () => {
      await Promise.all([sweeper.stop(), resumer.stop(), background.stop()])
      await store.close()
    },
  }
}
