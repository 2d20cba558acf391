import { dirname } from 'node:path'
import { joinNext } from '../std/join-next.ts'
import { singleFlight } from '../std/single-flight.ts'
import type { FsIo } from './fs-io.ts'
import { syncFolder } from './sync-folder.ts'

export type FolderKeeper = {
  readonly homeOf: (version: string) => string
  /** makes the folder and those above it, below the store's own, and lets each be found again after a power cut */
  readonly ensure: (folder: string) => Promise<void>
  readonly forget: (folder: string) => void
  /** lets every name be found again that was made in the folder before this was called; those who call together share a flush */
  readonly flush: (folder: string) => Promise<void>
}

const FOLDER_MODE = 0o700

/**
 * The folders `ab/cd` of a store. A folder counts as known only when the folder above it was flushed by this process: one that was
 * met may have been made just before a crash, and then nothing says yet that its name is on the disk.
 * @param syncing lets so many flushes pass at once as the store's others
 */
export function createFolderKeeper(root: string, io: FsIo, syncing: <T>(work: () => Promise<T>) => Promise<T>): FolderKeeper {
  const known = new Set<string>()
  const flush = joinNext((folder) => syncing(() => syncFolder(folder, io)))

  /** the store's own name, too: it may be as new as its first version */
  const keepRoot = singleFlight(async (folder: string) => {
    try {
      await flush(dirname(folder))
    } catch (error) {
      // a mount point below a folder of somebody else's, which is as durable as the mount
      if (!['EACCES', 'EPERM'].includes(String((error as NodeJS.ErrnoException).code))) throw error
    }
    known.add(folder)
  })

  const make = singleFlight(async (folder: string) => {
    await makeFolder(folder, io)
    await flush(dirname(folder))
    known.add(folder)
  })

  return {
    homeOf: (version) => `${root}/${version.slice(0, 2)}/${version.slice(2, 4)}`,
    ensure: async (folder) => {
      if (known.has(folder)) return
      if (!known.has(root)) await keepRoot(root)
      const outer = dirname(folder)
      if (!known.has(outer)) await make(outer)
      await make(folder)
    },
    forget: (folder) => {
      known.delete(folder)
      known.delete(dirname(folder))
    },
    flush,
  }
}

async function makeFolder(folder: string, io: FsIo): Promise<void> {
  try {
    await io.mkdir(folder, { mode: FOLDER_MODE })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
