import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StartupError } from '../../src/config/startup-error.ts'
import { connectOwner, type OwnerConnection } from '../../src/pg/owner-connection.ts'
import { type AuditedRoles, auditDatabase } from '../../src/service/audit-database.ts'
import { storageSchema } from '../storage/storage-database.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'

let database: FreshDatabase
let owner: OwnerConnection
let prefix: string
let roles: AuditedRoles

beforeAll(async () => {
  database = await freshDatabase('audit', storageSchema)
  owner = await connectOwner(database.url, 'test')
  prefix = `au_${process.pid}`
  roles = { web: `${prefix}_web`, callers: [`${prefix}_anon`, `${prefix}_user`], service: `${prefix}_service`, extra: [`${prefix}_editor`] }
  const [anon, user] = roles.callers
  await owner.query(`
    create role ${anon} nologin;
    create role ${user} nologin;
    create role ${roles.extra[0]} nologin;
    create role ${roles.service} nologin bypassrls;
    create role ${prefix}_other nologin;
    create role ${prefix}_between nologin;
    create role ${prefix}_top superuser;
    create role ${roles.web} login noinherit in role ${anon}, ${user}, ${roles.extra[0]};`)
})
afterAll(async () => {
  for (const name of ['web', 'anon', 'user', 'editor', 'service', 'other', 'between', 'top'])
    await owner.query(`drop owned by ${prefix}_${name}; drop role ${prefix}_${name}`)
  await owner.end()
  await database.drop()
})

/** What is said of roles and grants while something is changed; what the server that tests run on is set to is left out. */
async function said(change: string, undo: string, asked = roles): Promise<{ refused: string | null; warned: readonly string[] }> {
  await owner.query(change)
  try {
    const warned = await auditDatabase(owner, asked)
    return { refused: null, warned: warned.filter((text) => !text.startsWith('PostgreSQL ')) }
  } catch (error) {
    if (!(error instanceof StartupError)) throw error
    return { refused: error.message, warned: [] }
  } finally {
    await owner.query(undo)
  }
}

test('what the migrations make is as it should be', async () => {
  expect(await said('select 1', 'select 1')).toEqual({ refused: null, warned: [] })
  const real = { web: 'stowage_web', callers: ['anon', 'authenticated'], service: 'service_role', extra: [] }
  expect(await said('select 1', 'select 1', real)).toEqual({ refused: null, warned: [] })
})

test('a role of STOWAGE_ROLES that is not there ends the start', async () => {
  const { refused } = await said('select 1', 'select 1', { ...roles, extra: ['nobody_made_it'] })
  expect(refused).toMatch(/STOWAGE_ROLES names nobody_made_it, and the database has no such role: create role nobody_made_it/)
})

describe('refuses to serve when', () => {
  test.each([
    [
      'the login is a superuser',
      () => `alter role ${roles.web} superuser`,
      () => `alter role ${roles.web} nosuperuser`,
      /_web is a superuser: nothing would be kept.*alter role \S+ nosuperuser/,
    ],
    [
      'the login passes row security by',
      () => `alter role ${roles.web} bypassrls`,
      () => `alter role ${roles.web} nobypassrls`,
      /_web is a role that passes row security by/,
    ],
    [
      'a caller does',
      () => `alter role ${roles.callers[0]} bypassrls`,
      () => `alter role ${roles.callers[0]} nobypassrls`,
      /can become a role that passes row security by \(\S+_web > \S+_anon\)/,
    ],
    [
      'a caller is a superuser',
      () => `alter role ${roles.callers[1]} superuser`,
      () => `alter role ${roles.callers[1]} nosuperuser`,
      /can become a superuser/,
    ],
    [
      'the login is a member of the service',
      () => `grant ${roles.service} to ${roles.web}`,
      () => `revoke ${roles.service} from ${roles.web}`,
      /can become a role that passes row security by/,
    ],
    [
      'it is so through others',
      () => `grant ${prefix}_top to ${prefix}_between; grant ${prefix}_between to ${roles.callers[0]}`,
      () => `revoke ${prefix}_top from ${prefix}_between; revoke ${prefix}_between from ${roles.callers[0]}`,
      /can become a superuser \(\S+_web > \S+_anon > \S+_between > \S+_top\)/,
    ],
    [
      'the service is no more than a name, and the login a member of it',
      () => `alter role ${roles.service} nobypassrls; grant ${roles.service} to ${roles.web}`,
      () => `alter role ${roles.service} bypassrls; revoke ${roles.service} from ${roles.web}`,
      /can become the service's role/,
    ],
    [
      'a caller reads files of the server',
      () => `grant pg_read_server_files to ${roles.callers[0]}`,
      () => `revoke pg_read_server_files from ${roles.callers[0]}`,
      /can become pg_read_server_files/,
    ],
  ])('%s', async (_, change, undo, words) => {
    expect((await said(change(), undo())).refused).toMatch(words)
  })

  test('several things at once, and says them all', async () => {
    const { refused } = await said(
      `alter role ${roles.web} superuser; alter role ${roles.callers[0]} bypassrls`,
      `alter role ${roles.web} nosuperuser; alter role ${roles.callers[0]} nobypassrls`,
    )
    expect(refused?.split('\n')).toHaveLength(2)
  })
})

describe('warns when', () => {
  test.each([
    [
      'the login is a member of somebody else',
      () => `grant ${prefix}_other to ${roles.web}`,
      () => `revoke ${prefix}_other from ${roles.web}`,
      /is a member of \S+_other, which is none of/,
    ],
    [
      'the login inherits',
      () => `alter role ${roles.web} inherit`,
      () => `alter role ${roles.web} noinherit`,
      /inherits the rights of its roles/,
    ],
    ['the login makes roles', () => `alter role ${roles.web} createrole`, () => `alter role ${roles.web} nocreaterole`, /may make roles/],
    [
      'the login copies the server',
      () => `alter role ${roles.web} replication`,
      () => `alter role ${roles.web} noreplication`,
      /may copy the whole server/,
    ],
    [
      'a role of the settings passes row security by',
      () => `alter role ${roles.extra[0]} bypassrls`,
      () => `alter role ${roles.extra[0]} nobypassrls`,
      /_editor of STOWAGE_ROLES passes row security by/,
    ],
    [
      'the service does not',
      () => `alter role ${roles.service} nobypassrls`,
      () => `alter role ${roles.service} bypassrls`,
      /does not pass row security by/,
    ],
    [
      'row security is off',
      () => 'alter table storage.objects disable row level security',
      () => 'alter table storage.objects enable row level security',
      /Row security is off on storage\.objects/,
    ],
    [
      'TRUNCATE is granted',
      () => `grant truncate on storage.buckets to ${roles.callers[1]}`,
      () => `revoke truncate on storage.buckets from ${roles.callers[1]}`,
      /TRUNCATE on storage\.buckets.*granted to \S+_user/,
    ],
    [
      'TRUNCATE is granted to all',
      () => 'grant truncate on storage.objects to public',
      () => 'revoke truncate on storage.objects from public',
      /granted to everybody/,
    ],
    [
      'the ledger is open',
      () => `grant select on stowage.versions to ${roles.callers[0]}`,
      () => `revoke select on stowage.versions from ${roles.callers[0]}`,
      /stowage\.versions is open to \S+_anon/,
    ],
  ])('%s', async (_, change, undo, words) => {
    const { refused, warned } = await said(change(), undo())
    expect(refused).toBe(null)
    expect(warned).toEqual([expect.stringMatching(words)])
  })

  test('the server would forget what it answered', async () => {
    await owner.query('set synchronous_commit = off')
    const warned = await auditDatabase(owner, roles)
    await owner.query('reset synchronous_commit')
    expect(warned).toContainEqual(expect.stringMatching(/synchronous_commit = off: what was answered may be gone/))
  })
})

test('a login that is no superuser may ask, too', async () => {
  const client = await database.connect()
  await client.query(`set role ${prefix}_other`)
  const asked = { query: async (text: string, values?: string[]) => client.query(text, values) }
  await expect(auditDatabase(asked, roles)).resolves.toBeInstanceOf(Array)
})
