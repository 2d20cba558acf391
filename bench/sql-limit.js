import { execFile } from 'node:child_process'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { askChild } from './child.js'
import { scopeOf } from './one-sync.js'

/** @typedef {(statement: import('./one-sync.js').Statement, load: { connections: number, seconds: number }) => Promise<{ requests: number, seconds: number }>} RunSql */

/**
 * What runs a statement as fast as the machine can: pgbench of the system's PostgreSQL if there is one, else a bare loop of ours.
 * @param {{ databaseUrl: string, claims: { role: string }, folder: string }} options
 * @returns {Promise<{ name: string, run: RunSql }>}
 */
export async function findSqlLimit({ databaseUrl, claims, folder }) {
  const pgbench = await findPgbench()
  if (!pgbench) {
    const file = new URL('./bare-sql.js', import.meta.url)
    return { name: 'same SQL, bare pg loop', run: (statement, load) => askChild(file, { databaseUrl, claims, statement, ...load }) }
  }
  return {
    name: 'same SQL, pgbench -M prepared',
    run: async (statement, { connections, seconds }) => {
      const script = join(folder, 'question.pgbench')
      const scope = scopeOf(claims)
      const values = [...scope.values, ...statement.values]
      await writeFile(
        script,
        `\\startpipeline\n${asScript(scope.text, 0)};\n${asScript(statement.text, scope.values.length)};\n\\endpipeline\n`,
      )
      const { stdout } = await promisify(execFile)(pgbench, [
        '--no-vacuum',
        '--protocol=prepared',
        `--client=${connections}`,
        '--jobs=1',
        `--time=${seconds}`,
        `--file=${script}`,
        ...values.map((value, i) => `--define=p${i + 1}=${value ?? ''}`),
        databaseUrl,
      ])
      const done = /number of transactions actually processed: (\d+)/.exec(stdout)?.[1]
      const rate = /tps = ([\d.]+)/.exec(stdout)?.[1]
      const failed = /number of failed transactions: (\d+)/.exec(stdout)?.[1] ?? '0'
      if (!done || !rate || failed !== '0') throw new Error(`pgbench said:\n${stdout}`)
      return { requests: Number(done), seconds: Number(done) / Number(rate) }
    },
  }
}

/**
 * One statement of a pgbench script: parameters become its variables. A colon before a letter or digit inside our text would be taken for
 * a variable too, so literals are cut there; PostgreSQL joins them again when it plans.
 * @param {string} text
 * @param {number} before parameters of the statements before it
 */
export const asScript = (text, before) =>
  text
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/E'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'/g, (literal) => {
      const cut = literal.replaceAll(/:(?=\w)/g, `:' || ${literal.startsWith('E') ? 'E' : ''}'`)
      return cut === literal ? literal : `(${cut})`
    })
    .replaceAll(/\$(\d+)/g, (_, n) => `:p${Number(n) + before}`)
    .replaceAll(/\s*\n\s*/g, ' ')
    .trim()

/** @returns {Promise<string | null>} */
async function findPgbench() {
  const folders = (process.env.PATH ?? '').split(':')
  const debian = '/usr/lib/postgresql'
  for (const version of (await readdir(debian).catch(() => [])).sort((a, b) => Number(b) - Number(a)))
    folders.push(join(debian, version, 'bin'))
  for (const folder of folders) {
    const path = join(folder, 'pgbench')
    if (folder && (await stat(path).catch(() => null))) return path
  }
  return null
}
