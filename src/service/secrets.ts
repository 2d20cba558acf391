import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type ApiKeys, makeApiKeys } from '../auth/api-keys.ts'
import { createFile, replaceFile } from '../bytes/whole-file.ts'
import { StartupError } from '../config/startup-error.ts'
import { readPrivateFile } from './read-private-file.ts'

export type Secrets = ApiKeys & {
  readonly jwtSecret: string
  /** true if the data folder had none before */
  readonly fresh: boolean
}

/** `jwtSecret` is absent while the operator sets it from outside; the date keeps the API keys the same from start to start. */
type Kept = { readonly jwtSecret?: string; readonly issuedAt: string }

/**
 * The secret of the session tokens and the two keys made with it: from the data folder, made there on first use.
 * @param given JWT_SECRET, which stands before the folder's own
 */
export async function openSecrets(folder: string, given: string | null): Promise<Secrets> {
  const path = join(folder, 'keys.json')
  const kept = await read(path)
  if (!kept) {
    const made: Kept = {
      ...(given === null ? { jwtSecret: randomBytes(32).toString('base64url') } : {}),
      issuedAt: new Date().toISOString(),
    }
    // of processes that start at once on a shared folder the first one's stand
    await createFile(path, `${JSON.stringify(made, null, 2)}\n`)
    return { ...(await openSecrets(folder, given)), fresh: true }
  }
  const jwtSecret = given ?? kept.jwtSecret ?? randomBytes(32).toString('base64url')
  const { issuedAt } = kept
  if (given === null && kept.jwtSecret === undefined) {
    const keep: Kept = { jwtSecret, issuedAt }
    await replaceFile(path, `${JSON.stringify(keep, null, 2)}\n`)
  }
  return { jwtSecret, ...(await makeApiKeys(jwtSecret, new Date(issuedAt))), fresh: false }
}

/** The same without making any; null when the folder has none. */
export async function readSecrets(folder: string, given: string | null): Promise<(ApiKeys & { readonly jwtSecret: string }) | null> {
  const kept = await read(join(folder, 'keys.json'))
  const jwtSecret = given ?? kept?.jwtSecret
  return kept && jwtSecret !== undefined ? { jwtSecret, ...(await makeApiKeys(jwtSecret, new Date(kept.issuedAt))) } : null
}

async function read(path: string): Promise<Kept | null> {
  const text = await readPrivateFile(path)
  if (text === null) return null
  try {
    const kept = JSON.parse(text) as Kept
    const secretFits = kept.jwtSecret === undefined || (typeof kept.jwtSecret === 'string' && Buffer.byteLength(kept.jwtSecret) >= 32)
    if (secretFits && !Number.isNaN(Date.parse(kept.issuedAt))) return kept
  } catch {
    // said below
  }
  throw new StartupError(`${path} is damaged: bring it back from a copy, or remove it to get new keys (tokens made with the old ones end).`)
}
