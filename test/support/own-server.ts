import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findPostgresBinaries } from '../../src/service/postgres-binaries.ts'
import { chooseServerAccount } from '../../src/service/server-account.ts'

/** A PostgreSQL of one test file, whose configuration is the test's: certificates, pg_hba.conf, standbys. */
export type OwnServer = {
  readonly port: number
  /** what the test may fill; the server's account can read it */
  readonly folder: string
  /** the superuser's; parameters as libpq takes them */
  readonly url: (parameters?: string, host?: string) => string
  /** postgresql.conf lines, in force after {@link OwnServer.reload} or a start */
  readonly configure: (lines: readonly string[]) => void
  readonly allow: (lines: readonly string[]) => void
  readonly reload: () => Promise<void>
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
  readonly signal: (signal: NodeJS.Signals) => void
  /** a file in `folder` that belongs to the server's account */
  readonly file: (name: string, content: string | Buffer) => string
  readonly remove: () => Promise<void>
}

export const PASSWORD = 'correct horse battery staple'

/** @param original a stopped server that this one begins as a copy of, to become its standby */
export async function ownServer(name: string, original?: OwnServer): Promise<OwnServer> {
  const account = await chooseServerAccount(null)
  const { postgres, initdb } = await findPostgresBinaries(account, '/var/lib/stowage')
  const folder = mkdtempSync(join(tmpdir(), `${name}-`))
  const cluster = join(folder, 'cluster')
  const port = await freePort()
  const owned = (path: string) => account && chownSync(path, account.uid, account.gid)
  const file = (called: string, content: string | Buffer) => {
    const path = join(folder, called)
    writeFileSync(path, content)
    chmodSync(path, 0o600)
    owned(path)
    return path
  }
  owned(folder)
  chmodSync(folder, 0o755)
  const as = { ...account, cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } }
  if (original) {
    cpSync(join(original.folder, 'cluster'), cluster, { recursive: true, preserveTimestamps: true })
    execFileSync('chmod', ['-R', 'go-rwx', cluster])
    if (account) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, cluster])
  } else {
    const password = file('password', PASSWORD)
    const made = spawnSync(initdb, ['-D', cluster, '-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${password}`, '-E', 'UTF8', '-N'], as)
    if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`)
  }
  let running: ChildProcess | null = null
  const always = [`port=${port}`, `listen_addresses='127.0.0.1'`, `unix_socket_directories=''`, 'fsync=off', `shared_buffers='16MB'`]
  const conf = (lines: readonly string[]) =>
    writeFileSync(join(cluster, 'postgresql.conf'), [...always, ...lines].map((line) => `${line}\n`).join(''))
  const url = (parameters = '', host = '127.0.0.1') =>
    `postgresql://postgres:${encodeURIComponent(PASSWORD)}@${host}:${port}/postgres${parameters && `?${parameters}`}`
  conf([])

  const stop = async () => {
    if (!running || running.exitCode !== null || running.signalCode !== null) return
    const ended = new Promise((resolve) => running?.once('close', resolve))
    running.kill('SIGCONT')
    running.kill('SIGINT')
    await ended
    running = null
  }
  return {
    port,
    folder,
    url,
    file,
    configure: conf,
    allow: (lines) => writeFileSync(join(cluster, 'pg_hba.conf'), lines.map((line) => `${line}\n`).join('')),
    start: async () => {
      const child = spawn(postgres, ['-D', cluster], { ...as, stdio: ['ignore', 'ignore', 'pipe'] })
      running = child
      let said = ''
      child.stderr.on('data', (chunk) => {
        said = (said + chunk).slice(-4_000)
      })
      while (!/ready to accept (read-only )?connections/.test(said)) {
        if (child.exitCode !== null) throw new Error(`the server ended: ${said}`)
        await sleep(20)
      }
    },
    reload: async () => {
      running?.kill('SIGHUP')
      await sleep(200)
    },
    stop,
    signal: (signal) => running?.kill(signal),
    remove: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

/** The first column of the last statement's first row. */
export async function askOnce(url: string, text: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const answered: pg.QueryResult | pg.QueryResult[] = await client.query(text)
    const last = Array.isArray(answered) ? answered.at(-1) : answered
    return Object.values(last?.rows[0] ?? {})[0]
  } finally {
    await client.end()
  }
}
