import pg from 'pg'
import { inject } from 'vitest'

export type FreshDatabase = {
  readonly name: string
  /** a superuser's connection URI */
  readonly url: string
  /** a connected client, ended by `drop` at the latest; `login` replaces the superuser */
  readonly connect: (login?: { readonly user: string; readonly password?: string }) => Promise<pg.Client>
  readonly drop: () => Promise<void>
}

/** Puts into a new database what the template's users want to find there. Runs once a test run, whatever the number of files. */
export type Template = { readonly name: string; readonly build: (url: string) => Promise<void> }

let made = 0

/** A database of the test's own: empty, or a copy of what `template` built. Cheap enough (about 30 ms) for one a test. */
export async function freshDatabase(name = 'db', template?: Template): Promise<FreshDatabase> {
  const source = template ? await builtTemplate(template) : 'template0'
  const database = `${inject('databasePrefix')}_${process.pid}_${++made}_${name.toLowerCase().replaceAll(/[^a-z0-9]/g, '_')}`.slice(0, 63)
  await withClient(inject('superuserUrl'), (client) => client.query(`create database "${database}" template "${source}"`))
  const url = urlOf(database)
  const clients = new Set<pg.Client>()
  return {
    name: database,
    url,
    connect: async (login) => {
      const client = new pg.Client({ connectionString: login ? withLogin(url, login) : url })
      clients.add(client)
      await client.connect()
      return client
    },
    drop: async () => {
      await Promise.all([...clients].map((client) => client.end()))
      await withClient(inject('superuserUrl'), (client) => client.query(`drop database if exists "${database}" with (force)`))
    },
  }
}

/** Runs `work` on a connection of its own and closes it, whatever happens. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The name of the template's database; the first file to ask builds it while the others wait. */
async function builtTemplate({ name, build }: Template): Promise<string> {
  const database = `${inject('databasePrefix')}_template_${name}`
  await withClient(inject('superuserUrl'), async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [database])
    const found = await client.query('select datistemplate from pg_database where datname = $1', [database])
    if (found.rows[0]?.datistemplate) return
    // a build that failed half-way leaves a database that is no template yet
    if (found.rows[0]) await client.query(`drop database "${database}" with (force)`)
    await client.query(`create database "${database}" template template0`)
    await build(urlOf(database))
    await client.query(`alter database "${database}" is_template true`)
  })
  return database
}

function urlOf(database: string): string {
  const url = new URL(inject('superuserUrl'))
  url.pathname = `/${database}`
  return url.href
}

function withLogin(url: string, login: { readonly user: string; readonly password?: string }): string {
  const changed = new URL(url)
  changed.username = login.user
  changed.password = login.password ?? ''
  return changed.href
}
