// The ceiling of a Node service: node:http in, one packet to PostgreSQL, its text out. Knows its questions by heart and understands no GraphQL.
import { createServer } from 'node:http'
import pg from 'pg'
import { OneSync, scopeOf } from './one-sync.js'

/** @typedef {{ databaseUrl: string, role: string, questions: { body: string, statement: import('./one-sync.js').Statement }[] }} Job */

process.once('message', async (/** @type {Job} */ { databaseUrl, role, questions }) => {
  const known = new Map(questions.map(({ body, statement }, i) => [body, { name: `q${i}`, ...statement }]))
  const scope = scopeOf(role)
  /** @type {pg.Client[]} */
  const free = []
  /** @type {((client: pg.Client) => void)[]} */
  const waiting = []
  for (let i = 0; i < 10; i++) {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    free.push(client)
  }

  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const question = known.get(body)
      if (!question) return response.writeHead(404).end()
      const ask = (/** @type {pg.Client} */ client) => {
        const exchange = new OneSync(scope, question, (error, text) => {
          const next = waiting.shift()
          if (next) next(client)
          else free.push(client)
          if (error) return response.writeHead(500).end(error.message)
          const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
          response.writeHead(200, headers).end(text)
        })
        client.query(/** @type {any} */ (exchange))
      }
      const client = free.pop()
      if (client) ask(client)
      else waiting.push(ask)
    })
  })
  server.listen(0, '127.0.0.1', () => process.send?.({ port: /** @type {import('node:net').AddressInfo} */ (server.address()).port }))
})
process.once('disconnect', () => process.exit(0))
