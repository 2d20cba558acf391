// The ceiling of a Node service: node:http in, one packet to PostgreSQL, its text out. Knows its questions by heart and understands no GraphQL.
import { createServer } from 'node:http'
import pg from 'pg'
import { OneSync, scopeOf } from './one-sync.js'

/**
 * A question comes with its statement, or with its whole answer where no database is needed.
 * @typedef {{ body: string, statement: import('./one-sync.js').Statement | null, answer: string }} Known
 * @typedef {{ databaseUrl: string, claims: { role: string }, questions: Known[] }} Job
 */

process.once('message', async (/** @type {Job} */ { databaseUrl, claims, questions }) => {
  const names = new Map(questions.map(({ statement }, i) => [statement?.text, `q${i}`]))
  const known = new Map(
    questions.map(({ body, statement, answer }) => [body, statement ? { name: names.get(statement.text) ?? '', ...statement } : answer]),
  )
  const scope = scopeOf(claims)
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
      if (question === undefined) return response.writeHead(404).end()
      const send = (/** @type {string} */ text) =>
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text)
      if (typeof question === 'string') return send(question)
      const ask = (/** @type {pg.Client} */ client) => {
        const exchange = new OneSync(scope, question, (error, text) => {
          const next = waiting.shift()
          if (next) next(client)
          else free.push(client)
          if (error) return response.writeHead(500).end(error.message)
          return send(text)
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
