import { readFile } from 'node:fs/promises'
import { errorCode, StartupError } from '../config/startup-error.ts'

/** null when there is no such file. */
export const readPrivateFile = (path: string): Promise<string | null> =>
  readFile(path, 'utf8').catch((error) => {
    if (errorCode(error) === 'ENOENT') return null
    if (errorCode(error) === 'EACCES') throw new StartupError(`${path} may not be read by this account.`, { cause: error })
    throw error
  })
