import { join } from 'node:path'
import type { ByteStore } from '../bytes/byte-store.ts'
import { createFsByteStore } from '../bytes/fs.ts'
import { createFsStoreMarker, type StoreMarker } from '../bytes/store-marker.ts'
import { createFsStoreNote, type StoreNote } from '../bytes/store-note.ts'
import { loadConfig } from '../config/load-config.ts'
import type { Config } from '../config/options.ts'
import { readSeenDatabase, type SeenDatabase } from '../storage/sweep/database-identity.ts'
import { type Connections, openConnections } from './connections.ts'
import { openDataFolder } from './data-folder.ts'
import { openDatabase } from './open-database.ts'
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
  const { config } = loadConfig()
  const dataFolder = await openDataFolder(config.dataFolder)
  const { jwtSecret } = await openSecrets(dataFolder, config.jwtSecret)
  return withDatabase(onLine, async (database) => {
    const connections = openConnections(config, await openDatabase(database, jwtSecret, onLine), () => undefined)
    const folder = join(dataFolder, 'bytes')
    const bytes = createFsByteStore({ folder, maxConcurrentSyncs: 1, maxWaitMs: config.diskWait })
    try {
      return await work({ config, connections, bytes, marker: createFsStoreMarker(folder), note: databaseNote(folder) })
    } finally {
      await bytes.close()
      await connections.end()
    }
  })
}

/** The note about the database that lies in a folder of bytes. */
export const databaseNote = (folder: string): StoreNote<SeenDatabase> => createFsStoreNote(folder, 'stowage-database', readSeenDatabase)
