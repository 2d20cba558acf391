import { execFile } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A small disk of its own at `path`; null where this account may not mount one. */
export async function mountSmallDisk(path: string, size: string): Promise<{ readonly unmount: () => Promise<void> } | null> {
  await mkdir(path, { recursive: true })
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=711`, 'tmpfs', path])
  } catch {
    return null
  }
  return {
    unmount: async () => {
      await run('umount', ['-l', path])
      await rm(path, { recursive: true, force: true })
    },
  }
}
