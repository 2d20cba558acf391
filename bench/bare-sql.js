// Where there is no pgbench: the same packets from a bare Node loop. It spends more than pgbench does, so the limit comes out lower.
import pg from 'pg'
import { OneSync, scopeOf } from './one-sync.js'

/** @typedef {{ databaseUrl: string, claims: { role: string }, statement: import('./one-sync.js').Statement, connections: number, seconds: number }} Job */

process.once('message', async (/** @type {Job} */ { databaseUrl, claims, statement, connections, seconds }) => {
  const scope = scopeOf(claims)
  const question = { name: 'q', ...statement }
  const clients = Array.from({ length: connections }, () => new pg.Client({ connectionString: databaseUrl }))
  await Promise.all(clients.map((client) => client.connect()))
  let requests = 0
  const start = performance.now()
  const until = start + seconds * 1000
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < until) {
        await new Promise((resolve, reject) => {
          client.query(/** @type {any} */ (new OneSync(scope, question, (error, text) => (error ? reject(error) : resolve(text)))))
        })
        requests++
      }
    }),
  )
  process.send?.({ requests, seconds: (performance.now() - start) / 1000 })
  await Promise.all(clients.map((client) => client.end()))
})
