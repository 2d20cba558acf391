import { randomUUID } from 'node:crypto'
import fsPromises from 'node:fs/promises'
import { syncFolder } from './folder-keeper.ts'

/** The id that lies beside the bytes and tells this store from an empty mount point or somebody else's folder. */
export type StoreMarker = {
  /** null when there is none; @throws when there is something that cannot be read */
  readonly read: () => Promise<string | null>
  readonly write: (storeId: string) => Promise<void>
}

const NAME = 'stowage-store.json'

export function createFsStoreMarker(folder: string): StoreMarker {
  const file = `${folder}/${NAME}`
  return {
    read: async () => {
      let text: string
      try {
        text = await fsPromises.readFile(file, 'utf8')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw error
      }
      return storeIdIn(text) ?? Promise.reject(new Error(`${file} does not name a store`))
    },
    write: async (storeId) => {
      const draft = `${file}.${randomUUID()}`
      const handle = await fsPromises.open(draft, 'wx', 0o600)
      try {
        try {
          await handle.writeFile(`${JSON.stringify({ storeId })}\n`)
          await handle.sync()
        } finally {
          await handle.close()
        }
        await fsPromises.rename(draft, file)
      } catch (error) {
        await fsPromises.unlink(draft).catch(() => undefined)
        throw error
      }
      await syncFolder(folder, fsPromises)
    },
  }
}

function storeIdIn(text: string): string | null {
  try {
    const { storeId } = JSON.parse(text) as { storeId?: unknown }
    return typeof storeId === 'string' && /^[0-9a-f-]{36}$/.test(storeId) ? storeId : null
  } catch {
    return null
  }
}
