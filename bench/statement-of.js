import pg from 'pg'
import { createGraphql } from '../dist/index.js'

/**
 * The statement that our compiler makes of a question, as it goes over the wire, and the text that comes back.
 * It is heard on the way: the library answers on a client of ours.
 * @param {string} databaseUrl
 * @param {{ role: string }} claims
 * @param {{ query: string, variables: Record<string, unknown> }} question
 * @returns {Promise<{ statement: import('./one-sync.js').Statement, answer: string }>}
 */
export async function statementOf(databaseUrl, claims, { query, variables }) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('begin')
    await client.query(`select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)`, [
      claims.role,
      JSON.stringify(claims),
    ])
    /** @type {import('./one-sync.js').Statement[]} */
    const heard = []
    const listening = new Proxy(client, {
      get(target, name) {
        if (name !== 'query') return Reflect.get(target, name)
        return (/** @type {any[]} */ ...sent) => {
          // its own begin and savepoints come as bare text
          if (typeof sent[0] === 'object') heard.push({ text: sent[0].text, values: sent[0].values })
          return Reflect.apply(target.query, target, sent)
        }
      },
    })
    const answer = await createGraphql().resolveOn(listening, { query, variables })
    const statement = heard.at(-1)
    if (!statement) throw new Error('the library asked the database nothing')
    return { statement, answer }
  } finally {
    await client.query('rollback')
    await client.end()
  }
}
