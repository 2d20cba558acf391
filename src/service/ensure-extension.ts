import { installExtension } from '../catalog/install-extension.ts'
import { reasonOf } from '../config/startup-error.ts'
import type { OwnerClient } from '../pg/owner-connection.ts'
import { extensionState } from './extension-state.ts'

/**
 * Installs stowage_graphql where it is missing: as an extension if the server lists it, else the same SQL without files.
 * What is there already stays, in whatever version: upgrading is the owner's decision. Without it storage works and GraphQL says what is missing.
 */
export async function ensureExtension(client: OwnerClient, onLine: (line: string) => void): Promise<void> {
  const { installed_version, default_version, offered } = await extensionState(client)
  if (installed_version !== null) return
  try {
    if (offered.includes(default_version)) await client.query('/* extension.create */ create extension if not exists stowage_graphql')
    else {
      await installExtension(client)
      onLine(`the database server does not list the extension stowage_graphql: version ${default_version} was installed without files`)
    }
  } catch (error) {
    if ((await extensionState(client)).installed_version !== null) return
    onLine(`GraphQL is off: the extension stowage_graphql could not be installed (${reasonOf(error)})`)
  }
}
