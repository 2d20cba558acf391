import fsPromises from 'node:fs/promises'
import { replaceFile } from './whole-file.ts'

/** A few facts that lie beside the bytes, so that they are not carried away when the database is. */
export type StoreNote<T> = {
  /** null when there is none, or none that can be understood */
  readonly read: () => Promise<T | null>
  readonly write: (value: T) => Promise<void>
}

/** @param understand throws for what is no such note */
export function createFsStoreNote<T>(folder: string, name: string, understand: (json: unknown) => T): StoreNote<T> {
  const file = `${folder}/${name}.json`
  return {
    read: async () => {
      try {
        return understand(JSON.parse(await fsPromises.readFile(file, 'utf8')))
      } catch (error) {
        // a note that is broken says nothing; one that cannot be read may say something
        if (error instanceof Error && 'syscall' in error && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
        return null
      }
    },
    write: async (value) => {
      await replaceFile(file, `${JSON.stringify(value)}\n`)
      // what others left that were killed
      await removeDrafts(folder, `${name}.json.`)
    },
  }
}

const ABANDONED_MS = 60_000

async function removeDrafts(folder: string, prefix: string): Promise<void> {
  for (const name of await fsPromises.readdir(folder)) {
    if (!name.startsWith(prefix)) continue
    const path = `${folder}/${name}`
    const found = await fsPromises.stat(path).catch(() => null)
    if (found && Date.now() - found.mtimeMs > ABANDONED_MS) await fsPromises.unlink(path).catch(() => undefined)
  }
}
