import type { ByteStore } from '../bytes/byte-store.ts'
import type { StoreMarker } from '../bytes/store-marker.ts'
import type { StoreNote } from '../bytes/store-note.ts'
import { loadConfig } from '../config/load-config.ts'
import type { Config } from '../config/options.ts'
import type { SeenDatabase } from '../storage/sweep/database-identity.ts'
import { type Connections, openConnections } from './connections.ts'
import { openDataFolder } from './data-folder.ts'
import { openDatabase, wantedAccess } from './open-database.ts'
import { openStores } from './open-store.ts'
import { openSecrets } from './secrets.ts'
import { withDatabase } from './with-database.ts'

export type OpenStore = {
  readonly config: Config
  readonly connections: Connections
  readonly bytes: ByteStore
  readonly marker: StoreMarker
  readonly note: StoreNote<SeenDatabase>
}

/** Hands a command the stored bytes and their database, beside a running service or without one. */
export async function withStore<T>(onLine: (line: string) => void, work: (store: OpenStore) => Promise<T>): Promise<T> {
  const loaded = loadConfig()
  const { config } = loaded
  const dataFolder = await openDataFolder(config.dataFolder)
  const { jwtSecret } = await openSecrets(dataFolder, config.jwtSecret)
  // one statement at a time, beside a service that has its own
  const wanted = { ...wantedAccess(loaded, jwtSecret), pools: { web: 1, service: 1, processes: 1, isChosen: false } }
  return withDatabase(onLine, async (database) => {
    const connections = openConnections(config, await openDatabase(database, wanted, onLine), () => undefined)
    const { store, marker, note } = await openStores(config, dataFolder)
    try {
      return await work({ config, connections, bytes: store, marker, note })
    } finally {
      await store.close()
      await connections.end()
    }
  })
}
