import { setTimeout as sleep } from 'node:timers/promises'
import { installExtension } from '../catalog/install-extension.ts'
import { shippedExtension } from '../catalog/shipped-extension.ts'
import { errorCode, reasonOf, StartupError } from '../config/startup-error.ts'
import type { OwnerClient } from '../pg/owner-connection.ts'
import { quoteIdent } from '../sqltext/sql.ts'
import { type ExtensionState, extensionState } from './extension-state.ts'

/** How long one attempt waits for running requests to let go, while new ones wait behind it. */
const LOCK_WAIT = '250ms'
const PAUSE_MS = 250
const PATIENCE_MS = 60_000

/**
 * Puts one version of stowage_graphql in the place of whatever is there: by the server's files if it has them, else without files.
 * One transaction, so requests never find it missing; and since it has to wait for running requests, it tries for short moments, so
 * that none waits long behind it.
 *
 * @throws StartupError
 */
export async function changeExtension(client: OwnerClient, version: string, onLine: (line: string) => void): Promise<void> {
  const state = await extensionState(client)
  const { versions } = await shippedExtension()
  const known = [...new Set([...versions, ...state.offered])]
  if (!known.includes(version))
    throw new StartupError(`There is no version ${JSON.stringify(version)} of stowage_graphql: choose ${known.join(' or ')}.`)
  if (state.installed_version === version) return onLine(`version ${version} is installed already`)
  const until = performance.now() + PATIENCE_MS
  for (let told = false; ; told = true) {
    try {
      return await exchange(client, state, version)
    } catch (error) {
      await client.query('rollback')
      if (errorCode(error) !== LOCK_NOT_AVAILABLE)
        throw new StartupError(`Version ${version} could not be installed: ${reasonOf(error)}.`, { cause: error })
      if (performance.now() > until)
        throw new StartupError('Requests that run for a minute hold the installed version: try again later.', { cause: error })
      if (!told) onLine('waiting for running requests')
      await sleep(PAUSE_MS)
    }
  }
}

const LOCK_NOT_AVAILABLE = '55P03'

async function exchange(
  client: OwnerClient,
  { installed_version, without_files, offered }: ExtensionState,
  version: string,
): Promise<void> {
  await client.query('begin')
  await client.query(`/* extension.wait_little */ select set_config('lock_timeout', '${LOCK_WAIT}', true)`)
  if (without_files) await client.query('/* extension.remove */ drop schema stowage_graphql cascade')
  else if (installed_version !== null) await client.query('/* extension.drop */ drop extension stowage_graphql')
  if (offered.includes(version))
    await client.query(`/* extension.create */ create extension stowage_graphql version ${quoteIdent(version)}`)
  else await installExtension(client, version)
  await client.query('commit')
}
