import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type Installed = {
  /**
   * Runs a driver of this folder in a Node of its own, where the packages are installed, and reads what it prints as JSON.
   * @param given what the driver finds in the environment variable GIVEN, as JSON
   */
  readonly drive: (driver: string, given: unknown) => Promise<unknown>
  /** where the packages are */
  readonly folder: string
}

/**
 * Installs packages by name beside the project, not in it: they are others' clients, which we are to serve as they are. Kept below the
 * system's folder for temporary files, so that the next run finds them.
 * @returns a sentence instead when they cannot be had (no registry, no network)
 */
export async function installClients(packages: readonly string[]): Promise<Installed | string> {
  const hash = createHash('sha256').update(packages.join(' ')).digest('hex').slice(0, 12)
  const folder = join(tmpdir(), `stowage-clients-${hash}`)
  if (!(await exists(join(folder, 'node_modules')))) {
    const fresh = await mkdtemp(join(tmpdir(), 'stowage-clients-fresh-'))
    await writeFile(join(fresh, 'package.json'), '{ "private": true, "type": "module" }\n')
    try {
      const args = [
        'install',
        '--no-audit',
        '--no-fund',
        '--ignore-scripts',
        '--loglevel=error',
        '--fetch-retries=0',
        '--fetch-timeout=10000',
      ]
      await run('npm', [...args, ...packages], { cwd: fresh, timeout: 90_000 })
      await rename(fresh, folder).catch(async (error: unknown) => {
        // another run was quicker
        if (!(await exists(join(folder, 'node_modules')))) throw error
      })
    } catch (error) {
      return `${packages.join(', ')} could not be installed: ${firstLine(error)}`
    } finally {
      await rm(fresh, { recursive: true, force: true })
    }
  }
  const drivers = join(folder, `drivers-${process.pid}`)
  return {
    folder,
    drive: async (driver, given) => {
      await mkdir(drivers, { recursive: true })
      await cp(join(import.meta.dirname, 'drivers', driver), join(drivers, driver))
      try {
        const { stdout } = await run(process.execPath, [join(drivers, driver)], {
          timeout: 60_000,
          maxBuffer: 2 ** 26,
          env: { PATH: process.env.PATH, GIVEN: JSON.stringify(given) },
        })
        return JSON.parse(stdout)
      } catch (error) {
        const { stderr = '', stdout = '' } = error as { stderr?: string; stdout?: string }
        throw new Error(`${driver} failed:\n${stderr}\n${stdout.slice(0, 2_000)}`, { cause: error })
      } finally {
        await rm(drivers, { recursive: true, force: true })
      }
    },
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

const firstLine = (error: unknown): string => {
  const { stderr, message } = error as { stderr?: string; message?: string }
  return (stderr || message || String(error)).trim().split('\n').slice(0, 2).join(' ')
}
