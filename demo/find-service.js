import { isReady, keysOf, startOwnService } from './own-service.js'

/**
 * @typedef {import('./own-service.js').Keys} Keys
 * @typedef {{ keys: Keys, how: string, stop: () => Promise<void> }} Service
 */

/**
 * The service of the tour: the one that BASE_URL, ANON_KEY, SERVICE_KEY, JWT_SECRET and DATABASE_URL name, else the one that runs on this
 * folder's data, else one of its own on a folder that is removed afterwards.
 * @returns {Promise<Service>}
 */
export async function findService() {
  const { BASE_URL, ANON_KEY, SERVICE_KEY, JWT_SECRET, DATABASE_URL } = process.env
  if (BASE_URL && ANON_KEY && SERVICE_KEY && JWT_SECRET && DATABASE_URL) {
    const keys = { baseUrl: BASE_URL, anonKey: ANON_KEY, serviceKey: SERVICE_KEY, jwtSecret: JWT_SECRET, databaseUrl: DATABASE_URL }
    if (!(await isReady(BASE_URL))) throw new Error(`Nothing answers at ${BASE_URL}/health/ready.`)
    return { keys, how: 'the one that BASE_URL names', stop: async () => {} }
  }
  const running = await keysOf(process.env).catch(() => null)
  if (running && (await isReady(running.baseUrl))) return { keys: running, how: 'the one that is running here', stop: async () => {} }
  const own = await startOwnService()
  return { ...own, how: 'one of its own, on a folder that is removed afterwards' }
}
