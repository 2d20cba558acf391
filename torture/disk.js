import { execFile } from 'node:child_process'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * A disk whose power can be cut: an ext4 file system in a file, on a loop device.
 * @typedef {object} Disk
 * @property {string} folder where it is mounted
 * @property {() => Promise<void>} cut every later call fails, and nothing that was not synced is on it
 * @property {() => Promise<void>} revive mounts it again as it was left, which replays its journal
 * @property {() => Promise<void>} remove
 */

const IMAGE_BYTES = 2 ** 31

/**
 * Why there is no such disk on this machine; null: there can be one.
 * @param {string} folder an empty folder for the trial
 * @returns {Promise<string | null>}
 */
export async function whyNoDisk(folder) {
  for (const [program, option] of [
    ['mkfs.ext4', '-V'],
    ['xfs_io', '-V'],
  ]) {
    try {
      await run(program ?? '', [option ?? ''])
    } catch {
      return `${program} is not installed`
    }
  }
  try {
    const disk = await makeDisk(join(folder, 'trial'))
    await disk.cut()
    await disk.revive()
    await disk.remove()
    return null
  } catch (error) {
    return `no loop device can be mounted: ${firstLine(error)}`
  }
}

/**
 * @param {string} folder made
 * @returns {Promise<Disk>}
 */
export async function makeDisk(folder) {
  const image = join(folder, 'disk.img')
  const mounted = join(folder, 'disk')
  await mkdir(mounted, { recursive: true })
  const file = await open(image, 'w')
  await file.truncate(IMAGE_BYTES)
  await file.close()
  await run('mkfs.ext4', ['-q', '-F', '-E', 'lazy_itable_init=1', image])
  const mount = () => run('mount', ['-o', 'loop', image, mounted])
  await mount()
  return {
    folder: mounted,
    cut: async () => {
      // without -f the journal is not flushed first: what no sync brought to the disk is lost
      await run('xfs_io', ['-x', '-c', 'shutdown', mounted])
    },
    revive: async () => {
      await unmount(mounted)
      try {
        await mount()
      } catch {
        await run('e2fsck', ['-p', image])
        await mount()
      }
    },
    remove: async () => {
      await unmount(mounted)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** @param {string} folder the last process that used it may need a moment to go */
async function unmount(folder) {
  for (let tries = 0; ; tries++) {
    try {
      await run('umount', [folder])
      return
    } catch (error) {
      if (tries === 100) throw error
      await sleep(50)
    }
  }
}

/** @param {unknown} error */
const firstLine = (error) => (error instanceof Error ? error.message : String(error)).trim().split('\n').at(-1)
