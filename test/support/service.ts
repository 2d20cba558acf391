import { type OwnService, startOwnService } from '../../demo/own-service.js'

/** The whole service as users start it, on its own database and folder, until `stop`. Use one a file: it takes a second or two. */
export const startService = (settings: Readonly<Record<string, string>> = {}): Promise<OwnService> => startOwnService(settings)

/** What a child process of the tests is given to find it: the names that the README's and the demo's commands use. */
export const environmentOf = ({ keys, folder }: OwnService): Record<string, string> => ({
  BASE_URL: keys.baseUrl,
  ANON_KEY: keys.anonKey,
  SERVICE_KEY: keys.serviceKey,
  JWT_SECRET: keys.jwtSecret,
  DATABASE_URL: keys.databaseUrl,
  STOWAGE_DATA: folder,
})
