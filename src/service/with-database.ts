import { loadConfig } from '../config/load-config.ts'
import { openDataFolder } from './data-folder.ts'
import { lastSuperuserUrl } from './embedded-postgres.ts'
import { holderOf, lockFolder } from './folder-lock.ts'
import { type Database, foreignDatabase } from './open-database.ts'
import { openOwnDatabase } from './own-database.ts'

/**
 * Hands a command the database that the settings name: the one of DATABASE_URL, the built-in one that a service has running,
 * or the built-in one started for as long as the command takes.
 */
export async function withDatabase<T>(onLine: (line: string) => void, work: (database: Database) => Promise<T>): Promise<T> {
  const { config } = loadConfig()
  if (config.databaseUrl !== null) return work(foreignDatabase(config.databaseUrl))
  const folder = await openDataFolder(config.dataFolder)
  const running = (await holderOf(folder)) === null ? null : await lastSuperuserUrl(folder)
  if (running !== null) return work({ ...foreignDatabase(running), own: true })

  const lock = await lockFolder(folder, () => ({ pid: process.pid, baseUrl: null, stopping: false }))
  try {
    const database = await openOwnDatabase({
      config,
      dataFolder: folder,
      observe: () => undefined,
      onLine,
      onLost: (error) => onLine(error.message),
    })
    try {
      return await work(database)
    } finally {
      await database.stop()
    }
  } finally {
    await lock.release()
  }
}
