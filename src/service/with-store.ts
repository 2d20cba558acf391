import type { ByteStore } from '../bytes/byte-store.ts'
import type { StoreMarker } from '../bytes/store-marker.ts'
import type { StoreNote } from '../bytes/store-note.ts'
import type { Config } from '../config/options.ts'
import type { SeenDatabase } from '../storage/sweep/database-identity.ts'
import type { Connections } from './connections.ts'
import { openStores } from './open-store.ts'
import { withConnections } from './with-connections.ts'

export type OpenStore = {
  readonly config: Config
  readonly connections: Connections
  readonly bytes: ByteStore
  readonly marker: StoreMarker
  readonly note: StoreNote<SeenDatabase>
}

/** Hands a command the stored bytes and their database, beside a running service or without one. */
export const withStore = <T>(onLine: (line: string) => void, work: (store: OpenStore) => Promise<T>): Promise<T> =>
  withConnections(onLine, async ({ config, dataFolder, connections }) => {
    const { store, marker, note } = await openStores(config, dataFolder)
    try {
      return await work({ config, connections, bytes: store, marker, note })
    } finally {
      await store.close()
    }
  })
