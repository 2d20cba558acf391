import { randomBytes } from 'node:crypto'
import { link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from './sync-folder.ts'

/** Written whole or not at all, on disk when this resolves, readable by us alone. A process killed meanwhile may leave `<path>.<12 hex digits>`. */
export const replaceFile = (path: string, text: string): Promise<void> => writeBeside(path, text, (draft) => rename(draft, path))

/** The same for a file that is not there yet; one that came in between stays. */
export const createFile = (path: string, text: string): Promise<void> =>
  writeBeside(path, text, async (draft) => {
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
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
