import fsPromises from 'node:fs/promises'
import { replaceFile } from './whole-file.ts'

/** The id that lies beside the bytes and tells this store from an empty mount point or somebody else's folder. */
export type StoreMarker = {
  /** null when there is none; @throws when there is something that cannot be read */
  readonly read: () => Promise<string | null>
  readonly write: (storeId: string) => Promise<void>
}

export const MARKER_NAME = 'stowage-store.json'

export const markerText = (storeId: string): string => `${JSON.stringify({ storeId })}\n`

export function createFsStoreMarker(folder: string): StoreMarker {
  const file = `${folder}/${MARKER_NAME}`
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
    write: (storeId) => replaceFile(file, markerText(storeId)),
  }
}

/** null: it names none */
export function storeIdIn(text: string): string | null {
  try {
    const { storeId } = JSON.parse(text) as { storeId?: unknown }
    return typeof storeId === 'string' && /^[0-9a-f-]{36}$/.test(storeId) ? storeId : null
  } catch {
    return null
  }
}
