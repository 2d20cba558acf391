import { access, chmod, constants, mkdir, realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode, reasonOf, StartupError } from '../config/startup-error.ts'

/**
 * Makes the data folder if need be, closed to other accounts whatever the umask, and answers its real path.
 * @throws StartupError when it cannot be used
 */
export async function openDataFolder(path: string): Promise<string> {
  try {
    if (await makeFolder(path)) await chmod(path, 0o700)
    if (!(await stat(path)).isDirectory()) throw new StartupError(`The data folder ${path} is not a folder: set STOWAGE_DATA to another.`)
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return await realpath(path)
  } catch (error) {
    if (error instanceof StartupError) throw error
    throw new StartupError(
      `The data folder ${path} cannot be ${verb(error)}: ${plainly(error)}. Set STOWAGE_DATA to a folder that can be written.`,
      {
        cause: error,
      },
    )
  }
}

/** Why secrets and files in the folder are not ours alone, for the operator; null: they are. A container's volume may be so on purpose. */
export async function concernAbout(folder: string): Promise<string | null> {
  const { mode, uid } = await stat(folder)
  if ((mode & 0o022) !== 0) return `other accounts may write to the data folder ${folder}: close it with chmod 700`
  if (process.getuid && uid !== process.getuid()) return `the data folder ${folder} belongs to another account`
  return null
}

/**
 * True if it was made now. Node's own recursive mkdir never ends where a folder that exists says that it does not (/proc).
 */
async function makeFolder(path: string, mayMakeParent = true): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 })
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    if (errorCode(error) !== 'ENOENT' || !mayMakeParent) throw error
  }
  await makeFolder(dirname(path))
  return makeFolder(path, false)
}

const verb = (error: unknown): string => (error instanceof Error && 'syscall' in error && error.syscall === 'mkdir' ? 'made' : 'written')

function plainly(error: unknown): string {
  const words: Readonly<Record<string, string>> = {
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EROFS: 'the file system is read-only',
    ENOENT: 'it cannot be made there',
    ENOTDIR: 'a part of its path is a file',
    EEXIST: 'there is a file of that name',
    ENOSPC: 'the disk is full',
    ELOOP: 'too many symbolic links',
  }
  return words[errorCode(error) ?? ''] ?? reasonOf(error)
}
