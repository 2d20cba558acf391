import { execFileSync, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { chooseServerAccount } from '../../src/service/server-account.ts'
import { freePort, type OwnServer, PASSWORD } from './own-server.ts'

export type Pgbouncer = { readonly port: number; readonly url: string; readonly stop: () => Promise<void> }

/** The program: the one that PGBOUNCER names, or Debian's; null: there is none. */
export function findPgbouncer(): { readonly program: string; readonly keepsNames: boolean } | null {
  for (const program of [process.env.PGBOUNCER, '/usr/sbin/pgbouncer', 'pgbouncer']) {
    if (!program) continue
    try {
      const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' })) ?? []
      return { program, keepsNames: Number(major) > 1 || Number(minor) >= 21 }
    } catch {
      // not this one
    }
  }
  return null
}

/** In front of `server`, in transaction mode, with `lines` of its ini file besides. It runs as the server's account, since it refuses root. */
export async function pgbouncer(program: string, server: OwnServer, lines: readonly string[] = []): Promise<Pgbouncer> {
  const port = await freePort()
  const users = server.file(`users-${port}.txt`, `"postgres" "${PASSWORD}"\n`)
  const ini = server.file(
    `pgbouncer-${port}.ini`,
    [
      '[databases]',
      `* = host=127.0.0.1 port=${server.port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'pool_mode = transaction',
      'auth_type = scram-sha-256',
      `auth_file = ${users}`,
      'auth_user = postgres',
      'max_client_conn = 500',
      ...lines,
      '',
    ].join('\n'),
  )
  const account = await chooseServerAccount(null)
  const child = spawn(program, [ini], { ...account, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said = (said + chunk).slice(-4_000)
  })
  while (!said.includes('process up')) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended: ${said}`)
    await sleep(20)
  }
  return {
    port,
    url: server.url().replace(`:${server.port}/`, `:${port}/`),
    stop: async () => {
      const ended = new Promise((resolve) => child.once('close', resolve))
      child.kill('SIGINT')
      setTimeout(() => child.kill('SIGKILL'), 2_000).unref()
      await ended
    },
  }
}
