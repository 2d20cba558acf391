import { Command } from 'commander'
import { loadConfig } from '../config/load-config.ts'
import { StartupError } from '../config/startup-error.ts'
import { lastSuperuserUrl } from '../service/embedded-postgres.ts'
import { holderOf } from '../service/folder-lock.ts'
import { baseUrlOf } from '../service/listen.ts'
import { readSecrets } from '../service/secrets.ts'
import { print, table } from './terminal.ts'

export const keysCommand = (): Command =>
  new Command('keys').description('show address, API keys and database of the data folder').option('--json', 'as JSON').action(keys)

async function keys({ json }: { json?: boolean }): Promise<void> {
  const { config } = loadConfig()
  const { dataFolder } = config
  const secrets = await readSecrets(dataFolder, config.jwtSecret)
  const databaseUrl = config.databaseUrl ?? (await lastSuperuserUrl(dataFolder))
  if (!secrets || databaseUrl === null) throw new StartupError(`There are no keys in ${dataFolder} yet: start the service once.`)
  const baseUrl = (await holderOf(dataFolder))?.baseUrl ?? baseUrlOf(config.host, config.port)
  const { anonKey, serviceKey, jwtSecret } = secrets
  const all = { anonKey, serviceKey, jwtSecret, databaseUrl, baseUrl }
  if (json) return print(JSON.stringify(all))
  print(
    table([
      ['Address', baseUrl],
      ['Anon key', anonKey],
      ['Service key', serviceKey],
      ['JWT secret', jwtSecret],
      ['Database', databaseUrl],
    ]),
  )
}
