import pg from 'pg'
import { connectOptions } from './connect-options.ts'

const WHERE_AM_I = '/* names.probe */ select pg_backend_pid() as pid'
const NAMED = { name: 'stowage_probe', text: WHERE_AM_I }
const SAME_NAME = { name: 'stowage_probe', text: '/* names.other */ select 0 as pid' }
const LOST = ['26000', '42P05']
const ROUNDS = 20
const PATIENCE_MS = 500

/**
 * Whether a prepared statement's name means the same from one transaction to the next. A pooler that changes the server connection under a
 * client may forget it, or mix it up with another client's. Both are made to happen here: a second client takes the very connection that
 * the first one prepared on, so that the first one meets another; and then uses the same name for something else.
 */
export async function keepsNames(url: string): Promise<boolean> {
  const open = async () => {
    const client = new pg.Client({ ...connectOptions(url, 'stowage start', null), connectionTimeoutMillis: 10_000 })
    client.on('error', () => undefined)
    await client.connect()
    return client
  }
  const first = await open()
  const second = await open().catch(async (error) => {
    await first.end()
    throw error
  })
  const pidOf = async (client: pg.Client, query: pg.QueryConfig) => (await client.query<{ pid: number }>(query)).rows[0]?.pid
  try {
    let home = await pidOf(first, NAMED)
    for (let round = 1; round <= ROUNDS; round += 1) {
      await second.query('begin')
      const taken = await pidOf(second, { text: WHERE_AM_I })
      const again = pidOf(first, NAMED)
      // where there is one server connection it waits for the second client
      await Promise.race([again.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))])
      await second.query('rollback')
      const now = await again
      if (taken === home) break
      home = now
    }
    return (await pidOf(second, SAME_NAME)) === 0 && (await pidOf(first, NAMED)) !== 0
  } catch (error) {
    if (error instanceof pg.DatabaseError && LOST.includes(error.code ?? '')) return false
    throw error
  } finally {
    await Promise.all([first.end(), second.end()])
  }
}
