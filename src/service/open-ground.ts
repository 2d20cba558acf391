import type { LoadedConfig } from '../config/load-config.ts'
import type { StartupError } from '../config/startup-error.ts'
import type { Log } from '../observe/log.ts'
import { concernAbout, openDataFolder } from './data-folder.ts'
import { type FolderHolder, lockFolder, shareFolder } from './folder-lock.ts'
import { checkAddress, METRICS_ADDRESS } from './listen.ts'
import { auditedDatabase, type DatabaseAccess, foreignDatabase, openDatabase, wantedAccess } from './open-database.ts'
import { openOwnDatabase } from './own-database.ts'
import { openSecrets, type Secrets } from './secrets.ts'

/** What requests are served on, whether by this process or by others that it starts: plain data, which can be handed to them. */
export type Ground = {
  readonly folder: string
  readonly secrets: Secrets
  /** the owner's connection string */
  readonly databaseUrl: string
  readonly access: DatabaseAccess
}

export type GroundDeps = {
  readonly loaded: LoadedConfig
  readonly log: Log
  /** told what is being done, for a person who waits */
  readonly onLine: (line: string) => void
  /** the service cannot go on; whoever started it should stop it and leave */
  readonly onLost: (error: StartupError) => void
}

/** What a stopping service needs beside its running requests. */
export const STOP_GRACE_MS = 30_000

/**
 * Folder, secrets and database. The folder is for one service alone while its database lies in it; with one elsewhere it is bytes and secrets,
 * which any number of services may share: the database says who does what.
 * @param holder what others who want the folder are told
 * @param opened is handed what undoes each step
 * @param onWaiting is called when the database is on its way, and there is time for something else
 * @throws StartupError
 */
export async function openGround(
  { loaded, log, onLine, onLost }: GroundDeps,
  holder: () => FolderHolder,
  opened: (close: () => Promise<void>) => void,
  onWaiting: () => void,
): Promise<Ground> {
  const { config } = loaded
  const folder = await openDataFolder(config.dataFolder)
  if (config.databaseUrl === null) opened((await lockFolder(folder, holder, config.drainLimit + STOP_GRACE_MS)).release)
  else {
    const shared = await shareFolder(folder, holder)
    opened(shared.release)
    if (shared.other) onLine(`process ${shared.other.pid} serves from ${folder} too`)
  }
  const concern = await concernAbout(folder)
  if (concern) onLine(`warning: ${concern}`)
  await checkAddress(config.host, config.port)
  if (config.metricsPort !== null) await checkAddress(config.metricsHost, config.metricsPort, METRICS_ADDRESS)
  const secrets = await openSecrets(folder, config.jwtSecret)

  onLine('starting the database')
  const database =
    config.databaseUrl === null
      ? await openOwnDatabase({ config, dataFolder: folder, observe: log.observe, onLine, onLost, onWaiting })
      : { ...foreignDatabase(config.databaseUrl), stop: async () => undefined }
  opened(database.stop)
  onWaiting()
  const access = await openDatabase(database, wantedAccess(loaded, secrets.jwtSecret), onLine)
  await auditedDatabase(database, config.extraRoles, onLine)
  return { folder, secrets, databaseUrl: database.ownerUrl, access }
}
