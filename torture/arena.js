import { mkdir } from 'node:fs/promises'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { withDatabase } from './check-store.js'
import { makeDisk } from './disk.js'
import { openLedger } from './ledger.js'
import { callerOf, choosePlace, keysOf, killPostgres, postgresPids, startService, withChildren } from './service.js'
import { USERS, WORLD_SQL } from './world.js'

/**
 * A service on a disk of its own, and what is needed to start it, end it, ask it and look under it.
 * @typedef {object} Arena
 * @property {import('./service.js').Place} place
 * @property {import('./disk.js').Disk | null} disk
 * @property {import('./check-store.js').Store} store
 * @property {import('./operation.js').Caller} caller
 * @property {import('./ledger.js').Ledger} ledger
 * @property {() => import('./service.js').Running} service the one that was started last
 * @property {() => Promise<import('./service.js').Running>} start
 * @property {() => void} readLog what the service said and what nobody caught, held against C10 and C11
 * @property {() => Promise<void>} cutPower ends everything without a warning, and mounts the disk as it was left
 * @property {(withPostgres: boolean) => Promise<void>} kill
 * @property {() => Promise<void>} close
 *
 * @typedef {object} Preloaded
 * @property {readonly string[]} [preloads]
 * @property {Record<string, string>} [orders]
 * @property {Record<string, string>} [settings]
 */

/**
 * @param {object} options
 * @param {string} options.folder exists; the ledger lies there, outside the faulted disk
 * @param {boolean} options.hasDisk whether power can be cut
 * @param {number} options.servingLimitMs from a start to the first ready
 * @param {import('./verdicts.js').Verdicts} options.verdicts
 * @param {Preloaded} [preloaded]
 * @returns {Promise<Arena>}
 */
export async function openArena({ folder, hasDisk, servingLimitMs, verdicts }, { preloads = [], orders = {}, settings = {} } = {}) {
  await mkdir(folder, { recursive: true })
  const ledger = await openLedger(join(folder, 'ledger.jsonl'))
  const disk = hasDisk ? await makeDisk(join(folder, 'faulted')) : null
  const data = join(disk?.folder ?? folder, 'data')
  await mkdir(data, { recursive: true, mode: 0o700 })
  const place = await choosePlace(data, settings)
  /** @type {import('./service.js').Running | null} */
  let running = null

  const service = () => {
    if (!running) throw new Error('no service was started')
    return running
  }
  const kill = async (/** @type {boolean} */ withPostgres) => {
    running?.kill('SIGKILL')
    if (withPostgres) await killPostgres(await postgresPids(place))
    await running?.exited
  }
  const start = async () => {
    running = await startService(place, preloads, orders)
    verdicts.looked('C10')
    const { servingAfterMs } = running
    // others who want the processors too make everything as much slower
    const crowd = Math.max(1, loadavg()[0] ?? 1) / availableParallelism()
    if (servingAfterMs > servingLimitMs * Math.max(1, crowd))
      verdicts.violated('C10', `it served ${Math.round(servingAfterMs)} ms after its start`)
    return running
  }
  const close = async () => {
    await kill(true)
    await ledger.close()
    await disk?.remove()
  }

  try {
    // the first start makes the database, which takes longer than any other
    running = await startService(place, preloads, orders)
    const keys = await keysOf(place)
    await withDatabase(keys.databaseUrl, (client) => client.query(WORLD_SQL))
    const secrets = [keys.serviceKey, keys.anonKey, keys.jwtSecret, new URL(keys.databaseUrl).password, 'STOWED ']
    const caller = callerOf(place, keys, USERS)
    return {
      place,
      disk,
      store: { data, databaseUrl: keys.databaseUrl },
      caller,
      ledger,
      service,
      start,
      kill,
      cutPower: async () => {
        // afterwards nothing on the disk says any more which processes these are
        const [server = 0] = await postgresPids(place)
        await disk?.cut()
        await kill(false)
        await killPostgres(await withChildren(server))
        await disk?.revive()
      },
      readLog: () => {
        const { logged, faults } = service()
        verdicts.looked('C11', secrets.length)
        for (const secret of secrets) if (logged().includes(secret)) verdicts.violated('C11', `the log holds ${secret.slice(0, 12)}…`)
        for (const fault of faults()) verdicts.violated('C10', `nobody caught ${fault}`)
      },
      close: async () => {
        caller.agent.destroy()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}
