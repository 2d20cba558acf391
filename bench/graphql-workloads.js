import { deepStrictEqual } from 'node:assert'
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { startChild } from './child.js'
import { CLAIMS, graphqlWorkloads } from './graphql-questions.js'
import { findSqlLimit } from './sql-limit.js'
import { statementOf } from './statement-of.js'

/**
 * @typedef {import('./bench.js').Place} Place
 * @typedef {import('./bench.js').Workload} Workload
 */

const SHORT = { scale: 0.1, documents: 100 }
const FULL = { scale: 1, documents: 1_000 }

/**
 * Makes the tables that are asked about, unless an earlier run has left them in a database of somebody else's server.
 * @param {string} databaseUrl
 * @param {boolean} short
 * @throws Error when there are tables of these names that are not the bench's, or not of this size
 */
export async function loadGraphqlData(databaseUrl, short) {
  const { scale } = short ? SHORT : FULL
  const mark = `data of the bench, scale ${scale}`
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query(
      "select to_regclass('region') is not null as is_there, obj_description(to_regclass('region')) as mark",
    )
    if (rows[0].mark === mark) return
    if (rows[0].is_there)
      throw new Error(
        `The database has a table "region" that is not the "${mark}": give --database one of its own, and the same one to runs of one size.`,
      )
    const text = await readFile(new URL('./data.sql', import.meta.url), 'utf8')
    await client.query(`${text.replaceAll(':scale', String(scale))}; comment on table region is '${mark}'`)
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

/**
 * Each workload with its targets, the limit first. The limits ask the statement that our compiler made, heard on its way to the database.
 * Answers are compared before anything is timed.
 * @param {Place} place
 * @returns {AsyncGenerator<Workload>}
 */
export async function* graphqlTargets({ servers, scratch, options, load, children }) {
  const [own] = servers
  if (!own?.databaseUrl) return
  const wanted = graphqlWorkloads(options.short ? SHORT : FULL).filter(({ name }) =>
    name.toLowerCase().includes(options.only.toLowerCase()),
  )
  if (wanted.length === 0) return
  // pgbench takes whole seconds only
  const sqlLimit = options.short ? null : await findSqlLimit({ databaseUrl: own.databaseUrl, claims: CLAIMS, folder: scratch })

  for (const { name, needsDatabase, questions } of wanted) {
    const known = []
    for (const question of questions) {
      const { statement, answer } = needsDatabase
        ? await statementOf(own.databaseUrl, CLAIMS, question)
        : { statement: null, answer: await (await askServer(own, JSON.stringify(question))).text() }
      known.push({ statement, answer, body: JSON.stringify(question) })
    }
    const bare = await startChild(new URL('./bare-graphql.js', import.meta.url), {
      databaseUrl: own.databaseUrl,
      claims: CLAIMS,
      questions: known,
    })
    children.push(bare.child)
    const asking = []
    for (const server of servers) {
      const fault = await differs(server, known, needsDatabase)
      if (fault && server === own) throw new Error(`${name}: ${fault}`)
      if (fault) console.log(`${server.name} is left out of "${name}": ${fault}`)
      else asking.push(server)
    }
    const [first] = known
    if (first && needsDatabase) {
      const bareAnswer = await (await fetch(`http://127.0.0.1:${bare.answer.port}`, { method: 'POST', body: first.body })).text()
      if (!first.answer.includes(bareAnswer)) throw new Error(`${name}: the bare server gives something else`)
    }
    const bodies = known.map(({ body }) => Buffer.from(body).toString('base64'))
    const head = `POST /graphql/v1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}`
    const statement = first?.statement
    yield {
      workload: name,
      targets: [
        ...(statement && sqlLimit
          ? [
              {
                name: sqlLimit.name,
                isLimit: true,
                serverPid: null,
                databasePid: own.databasePid,
                go: (/** @type {number} */ seconds) => sqlLimit.run(statement, { connections: options.connections, seconds }),
              },
            ]
          : []),
        {
          name: needsDatabase ? 'same SQL, bare node:http + pg' : 'same bytes, bare node:http',
          isLimit: true,
          serverPid: bare.child.pid ?? null,
          databasePid: own.databasePid,
          go: load({ host: '127.0.0.1', port: bare.answer.port, head, bodies }),
        },
        ...asking.map((server) => ({
          name: server.name,
          serverPid: server.pid,
          databasePid: server.databasePid,
          go: load({
            host: server.host,
            port: server.port,
            head: `${head}\r\napikey: ${server.anonKey}\r\nAuthorization: Bearer ${server.tenantToken}`,
            bodies,
          }),
        })),
      ],
    }
    bare.child.kill()
  }
}

/**
 * @param {import('./bench.js').Server} server
 * @param {string} body
 */
const askServer = (server, body) =>
  fetch(`${server.url}/graphql/v1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', apikey: server.anonKey, authorization: `Bearer ${server.tenantToken}` },
    body,
  })

/**
 * How a server answers a few of the questions otherwise than the library does; null: it does not.
 * @param {import('./bench.js').Server} server
 * @param {readonly { body: string, answer: string }[]} known
 * @param {boolean} compares
 */
async function differs(server, known, compares) {
  for (const { body, answer } of known.slice(0, 3)) {
    const response = await askServer(server, body)
    const text = await response.text()
    if (!response.ok) return `${response.status} ${text.slice(0, 200)}`
    if (!compares) continue
    try {
      deepStrictEqual(JSON.parse(text), JSON.parse(answer))
    } catch {
      return `it answers ${text.slice(0, 200)} and not ${answer.slice(0, 200)}`
    }
  }
  return null
}
