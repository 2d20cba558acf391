import { loadConfig } from '../config/load-config.ts'
import type { Config } from '../config/options.ts'
import { type Connections, openConnections } from './connections.ts'
import { openDataFolder } from './data-folder.ts'
import { openDatabase, wantedAccess } from './open-database.ts'
import { openSecrets } from './secrets.ts'
import { withDatabase } from './with-database.ts'

export type Connected = {
  readonly config: Config
  readonly dataFolder: string
  readonly ownerUrl: string
  readonly connections: Connections
}

/** Hands a command connections to the database of the settings, beside a running service or without one. */
export async function withConnections<T>(onLine: (line: string) => void, work: (connected: Connected) => Promise<T>): Promise<T> {
  const loaded = loadConfig()
  const { config } = loaded
  const dataFolder = await openDataFolder(config.dataFolder)
  const { jwtSecret } = await openSecrets(dataFolder, config.jwtSecret)
  // one statement at a time, beside a service that has its own
  const wanted = { ...wantedAccess(loaded, jwtSecret), pools: { web: 1, service: 1, processes: 1, isChosen: false } }
  return withDatabase(onLine, async (database) => {
    const connections = openConnections(config, await openDatabase(database, wanted, onLine), () => undefined)
    try {
      return await work({ config, dataFolder, ownerUrl: database.ownerUrl, connections })
    } finally {
      await connections.end()
    }
  })
}
