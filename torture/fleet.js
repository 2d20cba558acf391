import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEmbeddedPostgres } from '../dist/service/embedded-postgres.js'
import { checkStart, readLog, secretsOf } from './arena.js'
import { withDatabase } from './check-store.js'
import { startGateway } from './gateway.js'
import { openLedger } from './ledger.js'
import { callerOf, choosePlace, keysOf, killPostgres, postgresPids, startService } from './service.js'
import { strikeFleet } from './strike-fleet.js'
import { USERS, WORLD_SQL } from './world.js'

/**
 * Several services beside each other, on one database and one store, and who hands requests to them.
 * @typedef {import('./rounds.js').Ground & Several} Fleet
 *
 * @typedef {object} Several
 * @property {readonly Member[]} members
 * @property {Postgres} postgres
 * @property {import('./gateway.js').Gateway | null} gateway the store that is a process of its own; null: a folder they share
 * @property {() => Promise<void>} expireLeases as if more time had gone by than any lease lasts
 *
 * @typedef {object} Member
 * @property {number} port
 * @property {() => import('./service.js').Running} service the one that was started last
 * @property {() => Promise<number>} start answers after how many milliseconds it served
 * @property {boolean} isAsked whether requests are handed to it, as a balancer decides
 * @property {() => readonly import('./service.js').Running[]} recent all that ran since this was asked last
 *
 * @typedef {{ readonly data: string, readonly start: () => Promise<void>, readonly ended: () => Promise<void> }} Postgres
 */

const BUCKET = 'torture'
const EXTENSION = fileURLToPath(new URL('../extension', import.meta.url))
/** More than all pools together. */
const CONNECTIONS = 200

/**
 * @param {object} options
 * @param {string} options.folder made
 * @param {number} options.processes
 * @param {string | null} options.gateway the program of an S3 server; null: they share a folder
 * @param {number} options.servingLimitMs from a start to the first ready
 * @param {import('./random.js').Random} options.random
 * @param {import('./verdicts.js').Verdicts} options.verdicts
 * @param {import('./arena.js').Preloaded} [preloaded]
 * @returns {Promise<Fleet>}
 */
export async function openFleet(options, { preloads = [], orders = {}, settings: given = {} } = {}) {
  const { folder, processes, gateway: program, servingLimitMs, random, verdicts } = options
  /** @type {(() => Promise<void>)[]} */
  const closers = []
  const close = async () => {
    for (let undo = closers.pop(); undo; undo = closers.pop()) await undo()
  }
  try {
    await mkdir(folder, { recursive: true })
    const ledger = await openLedger(join(folder, 'ledger.jsonl'))
    closers.push(ledger.close)
    const { postgres, databaseUrl } = await openPostgres(join(folder, 'database'), (undo) => closers.push(undo))
    const gateway = program === null ? null : await openGateway(program, join(folder, 'gateway'), (undo) => closers.push(undo))
    const settings = {
      DATABASE_URL: databaseUrl,
      JWT_SECRET: randomBytes(24).toString('base64url'),
      ...(gateway ? settingsFor(gateway) : {}),
      ...given,
    }
    // on a bucket they have nothing in common but database, bucket and secret, as on machines of their own
    const dataOf = (/** @type {number} */ i) => join(folder, gateway ? `data-${i}` : 'data')
    const places = await Promise.all(Array.from({ length: processes }, (_, i) => openPlace(dataOf(i), settings)))
    const members = places.map((place) => makeMember(place.port, () => startService(place, preloads, orders)))
    closers.push(async () => {
      for (const member of members) for (const running of member.recent()) running.kill('SIGKILL')
      await Promise.all(members.map(({ service }) => service().exited))
    })
    // all at once, on an empty database and an empty store
    await Promise.all(members.map(({ start }) => start()))
    const [place] = places
    if (!place) throw new Error('no process was asked for')
    const keys = { ...(await keysOf(place)), databaseUrl }
    await withDatabase(databaseUrl, (client) => client.query(WORLD_SQL))
    const secrets = [...secretsOf(keys), ...(gateway ? [gateway.credentials.secretAccessKey] : [])]
    const caller = callerOf(place, keys, USERS)
    closers.push(async () => caller.agent.destroy())
    const balancer = random.fork('balancer')

    /** @type {Fleet} */
    const fleet = {
      members: members.map((member) => ({
        ...member,
        start: async () => {
          const servingAfterMs = await member.start()
          checkStart(verdicts, member.service(), servingLimitMs)
          return servingAfterMs
        },
      })),
      postgres,
      gateway,
      ledger,
      store: gateway
        ? { bytes: join(gateway.data, BUCKET), partsIn: join(gateway.data, BUCKET, '.sgwtmp', 'multipart'), databaseUrl }
        : { bytes: join(folder, 'data', 'bytes'), partsIn: null, databaseUrl },
      caller: {
        ...caller,
        get port() {
          const asked = fleet.members.filter(({ isAsked }) => isAsked)
          return balancer.pick(asked.length > 0 ? asked : fleet.members).port
        },
      },
      pid: null,
      isGone: () => members.some(({ service }) => service().hasEnded()),
      readLog: () => {
        for (const member of members) for (const running of member.recent()) readLog(verdicts, running, secrets)
      },
      expireLeases: () => withDatabase(databaseUrl, async (client) => void (await client.query('delete from stowage.leases'))),
      strike: (fault, chance) => strikeFleet(fault, fleet, chance, verdicts),
      close,
    }
    return fleet
  } catch (error) {
    await close()
    throw error
  }
}

/** @param {string} data @param {Record<string, string>} settings */
async function openPlace(data, settings) {
  await mkdir(data, { recursive: true, mode: 0o700 })
  return choosePlace(data, settings)
}

/** @param {number} port @param {() => Promise<import('./service.js').Running>} begin @returns {Member} */
function makeMember(port, begin) {
  /** @type {import('./service.js').Running[]} */
  let recent = []
  const service = () => {
    const last = recent.at(-1)
    if (!last) throw new Error('no service was started')
    return last
  }
  return {
    port,
    service,
    isAsked: true,
    start: async () => {
      const running = await begin()
      recent.push(running)
      return running.servingAfterMs
    },
    recent: () => {
      const all = recent
      recent = recent.slice(-1)
      return all
    },
  }
}

/** @param {string} data @param {(undo: () => Promise<void>) => void} opened @returns {Promise<{ postgres: Postgres, databaseUrl: string }>} */
async function openPostgres(data, opened) {
  await mkdir(data, { recursive: true, mode: 0o700 })
  const begin = (/** @type {number | null} */ port) =>
    startEmbeddedPostgres({
      folder: data,
      durable: true,
      maxConnections: CONNECTIONS,
      extensionFolder: EXTENSION,
      onLine: () => undefined,
      ...(port === null ? {} : { port }),
    })
  let server = await begin(null)
  opened(async () => {
    await killPostgres(await postgresPids({ data }))
    await server.exited
  })
  return {
    databaseUrl: server.superuserUrl,
    postgres: {
      data,
      start: async () => {
        server = await begin(server.port)
      },
      ended: () => server.exited,
    },
  }
}

/** @param {string} program @param {string} folder @param {(undo: () => Promise<void>) => void} opened */
async function openGateway(program, folder, opened) {
  await mkdir(folder)
  const gateway = await startGateway(program, folder)
  opened(() => gateway.end('SIGKILL'))
  await mkdir(join(gateway.data, BUCKET))
  return gateway
}

/** @param {import('./gateway.js').Gateway} gateway */
const settingsFor = ({ endpoint, credentials }) => ({
  STOWAGE_STORE: 's3',
  STOWAGE_S3_BUCKET: BUCKET,
  STOWAGE_S3_ENDPOINT: endpoint,
  STOWAGE_S3_PATH_STYLE: 'true',
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
})
