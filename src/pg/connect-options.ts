import type pg from 'pg'
import { isSocketFolder, parseDatabaseAddress } from '../config/database-address.ts'
import { databaseTrust } from '../config/database-trust.ts'
import { NegotiatedSocket } from './negotiated-socket.ts'

/**
 * What `pg` is given to connect to `url`. Encryption is ours: pg takes sslmode's words for something else than libpq does, knows neither
 * `allow` nor `prefer`, and cannot insist on channel binding.
 * @param options of the server's session; they stand behind those of the URL and so before them
 * @throws BadSetting
 */
export function connectOptions(url: string, applicationName: string, options: string | null): pg.ClientConfig {
  const { host, port, user, password, database, tls: wanted, options: given } = parseDatabaseAddress(url)
  const isPlain = wanted.mode === 'disable' || isSocketFolder(host)
  const all = [given, options].filter((text) => text !== null).join(' ')
  const config: pg.ClientConfig = {
    host,
    port,
    ...(user === null ? {} : { user }),
    ...(password === null ? {} : { password }),
    ...(database === null ? {} : { database }),
    ...(all === '' ? {} : { options: all }),
    application_name: applicationName,
    keepAlive: true,
    // said, since pg would look into the environment otherwise
    ssl: false,
  }
  const trust = isPlain ? {} : databaseTrust(wanted)
  const socket = { mode: isPlain ? ('disable' as const) : wanted.mode, negotiation: wanted.negotiation, trust }
  const requireBinding = wanted.channelBinding === 'require'
  return {
    ...config,
    enableChannelBinding: wanted.channelBinding !== 'disable',
    stream: () => new NegotiatedSocket({ ...socket, requireBinding }) as unknown as ReturnType<NonNullable<pg.ClientConfig['stream']>>,
  } as pg.ClientConfig
}
