import { randomBytes } from 'node:crypto'
import { link, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode, StartupError } from '../config/startup-error.ts'

/** Written whole or not at all, on disk when this returns, readable by us alone. */
export const writePrivateFile = (path: string, text: string): Promise<void> => writeBeside(path, text, (draft) => rename(draft, path))

/** The same for a file that is not there yet; one that came in between stays. */
export const createPrivateFile = (path: string, text: string): Promise<void> =>
  writeBeside(path, text, async (draft) => {
    await link(draft, path).catch((error) => {
      if (errorCode(error) !== 'EEXIST') throw error
    })
    await rm(draft, { force: true })
  })

async function writeBeside(path: string, text: string, settle: (draft: string) => Promise<void>): Promise<void> {
  const unfinished = `${path}.${randomBytes(6).toString('hex')}`
  const file = await open(unfinished, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
    await file.close()
    await settle(unfinished)
  } catch (error) {
    await file.close().catch(() => undefined)
    await rm(unfinished, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
}

/** null when there is no such file. */
export const readPrivateFile = (path: string): Promise<string | null> =>
  readFile(path, 'utf8').catch((error) => {
    if (errorCode(error) === 'ENOENT') return null
    if (errorCode(error) === 'EACCES') throw new StartupError(`${path} may not be read by this account.`, { cause: error })
    throw error
  })

/** Makes a rename or a new name in the folder outlast a power cut (fsync(2)). */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
