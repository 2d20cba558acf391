import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ANONYMOUS } from '../auth/authenticate.js';
import { createUrlTokens } from '../auth/url-tokens.js';
import { createFsByteStore } from '../bytes/fs.js';
import { createFsStoreMarker } from '../bytes/store-marker.js';
import { StartupError } from '../config/startup-error.js';
import { bytes, milliseconds, seconds } from '../std/brand.js';
import { createInFlight } from '../storage/sweep/in-flight.js';
import { identifyStore } from '../storage/sweep/store-identity.js';
import { createSweeper } from '../storage/sweep/sweeper.js';
import { createBackground } from './background.js';
import { observeStorage, observeSweep } from './observe-storage.js';
import { packageVersion } from './package-root.js';
const MIB = 2 ** 20;
/** Half of Node's default thread pool: a slow disk leaves threads to readers. */
const CONCURRENT_SYNCS = 2;
const MAX_OBJECTS_TO_EMPTY = 200_000;
const READER_GRACE = milliseconds(60_000);
const SCAN_INTERVAL = milliseconds(24 * 3_600_000);
export const sweepOptions = (config) => ({
    intervalMs: config.sweepInterval,
    graceMs: config.sweepGrace,
    readerGraceMs: milliseconds(Math.min(READER_GRACE, config.sweepGrace)),
    scanIntervalMs: SCAN_INTERVAL,
    maxOrphanShare: 0.1,
    maxOrphans: 10_000,
});
/**
 * The storage face: bytes in files below the data folder, rows over the pools.
 * @throws StartupError when the stored files are not those of the database
 */
export async function composeStorage(deps) {
    const { config, connections, authenticate, observe } = deps;
    const folder = join(deps.dataFolder, 'bytes');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const store = createFsByteStore({ folder, maxConcurrentSyncs: CONCURRENT_SYNCS });
    const marker = createFsStoreMarker(folder);
    const now = () => new Date();
    const identity = await identifyStore({ asService: connections.asService, bytes: store, marker, newId: randomUUID }, new AbortController().signal);
    if (identity.kind === 'mismatch')
        throw new StartupError(`The files in ${folder} do not belong to the database: ${identity.why}.`);
    const inFlight = createInFlight();
    const background = createBackground(observe);
    const urlTokens = createUrlTokens({ secret: deps.jwtSecret, authenticate, now });
    const sweeper = createSweeper({
        asService: connections.asService,
        bytes: store,
        marker,
        inFlight,
        newId: randomUUID,
        options: sweepOptions(config),
        observe: observeSweep(observe),
    });
    return {
        sweeper,
        routes: {
            storage: {
                asCaller: connections.asCaller,
                asService: connections.asService,
                bytes: store,
                now,
                newVersion: () => randomUUID(),
                limits: {
                    maxObjectBytes: config.uploadLimit,
                    maxPlainUploadBytes: null,
                    maxObjectsToEmpty: MAX_OBJECTS_TO_EMPTY,
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
            await sweeper.stop();
            await background.stop();
            await store.close();
        },
    };
}
