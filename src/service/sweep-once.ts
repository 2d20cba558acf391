import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createFsByteStore } from '../bytes/fs.ts'
import { createFsStoreMarker } from '../bytes/store-marker.ts'
import { loadConfig } from '../config/load-config.ts'
import { createInFlight } from '../storage/sweep/in-flight.ts'
import { createSweeper, type SweepOnce, type SweepReport } from '../storage/sweep/sweeper.ts'
import { sweepOptions } from './compose-storage.ts'
import { openConnections } from './connections.ts'
import { openDataFolder } from './data-folder.ts'
import { openDatabase } from './open-database.ts'
import { openSecrets } from './secrets.ts'
import { withDatabase } from './with-database.ts'

/** One pass of the sweeper, beside a running service or without one. */
export async function sweepOnce(once: SweepOnce, onLine: (line: string) => void): Promise<SweepReport> {
  const { config } = loadConfig()
  const dataFolder = await openDataFolder(config.dataFolder)
  const { jwtSecret } = await openSecrets(dataFolder, config.jwtSecret)
  return withDatabase(onLine, async (database) => {
    const connections = openConnections(config, await openDatabase(database, jwtSecret, onLine), () => undefined)
    const folder = join(dataFolder, 'bytes')
    const store = createFsByteStore({ folder, maxConcurrentSyncs: 1, maxWaitMs: config.diskWait })
    try {
      return await createSweeper({
        asService: connections.asService,
        bytes: store,
        marker: createFsStoreMarker(folder),
        inFlight: createInFlight(),
        newId: randomUUID,
        options: sweepOptions(config),
        observe: () => undefined,
      }).sweepOnce(once)
    } finally {
      await store.close()
      await connections.end()
    }
  })
}
