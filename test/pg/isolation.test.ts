import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PgError } from '../../src/pg/pg-error.ts'
import { milliseconds } from '../../src/std/brand.ts'
import { caller, type PoolDatabase, poolDatabase, statement, type TestPool } from './pool-database.ts'

/** Logins of this file's own, with the memberships that the migrations give to the real ones. */
const PASSWORD = 'only for this test'
const logins = new Map<string, string>()

let database: PoolDatabase
beforeAll(async () => {
  database = await poolDatabase('isolation')
  const owner = await database.connect()
  for (const real of ['stowage_web', 'stowage_service']) {
    const login = `${database.name}_${real.slice('stowage_'.length)}`.slice(-63)
    logins.set(real, login)
    await owner.query(`create role "${login}" login noinherit password '${PASSWORD}'`)
    const { rows } = await owner.query<{ role: string }>(
      `select m.roleid::regrole::text as role from pg_auth_members m where m.member = $1::regrole`,
      [real],
    )
    for (const { role } of rows) await owner.query(`grant ${role} to "${login}"`)
  }
  await owner.query(`
    create table diary (id int primary key, owner text not null, line text);
    alter table diary enable row level security;
    create policy own on diary to authenticated using (owner = auth.jwt() ->> 'sub');
    create policy open on diary for select to anon using (owner = 'everybody');
    grant select, insert, update, delete on diary to authenticated, service_role;
    grant select on diary to anon;
    insert into diary values (1, 'ann', 'of ann'), (2, 'bob', 'of bob'), (3, 'everybody', 'open');

    -- what an attacker's function would try
    create function become(role text) returns text language plpgsql volatile as $$
      begin perform set_config('role', role, true); return current_user; end
    $$;
    create function become_lasting(role text) returns text language plpgsql volatile as $$
      begin perform set_config('role', role, false); return current_user; end
    $$;
    create function session_is(login text) returns text language plpgsql volatile as $$
      begin execute format('set session authorization %I', login); return session_user; end
    $$;
    create function claim(claims text) returns text language sql volatile as $$ select set_config('request.jwt.claims', claims, true) $$;
    create function claim_lasting(claims text) returns text language sql volatile as $$ select set_config('request.jwt.claims', claims, false) $$;
  `)
})
afterAll(async () => {
  const owner = await database.connect()
  for (const login of logins.values()) await owner.query(`drop owned by "${login}"; drop role "${login}"`)
  await database.drop()
})

function urlOf(real: string): string {
  const url = new URL(database.url)
  url.username = logins.get(real) ?? ''
  url.password = encodeURIComponent(PASSWORD)
  return url.href
}
const web = (): TestPool => database.pool({ url: urlOf('stowage_web') })

async function rolesAndMembers(): Promise<unknown> {
  const owner = await database.connect()
  const { rows } = await owner.query(
    `
    select r.rolname, r.rolsuper, r.rolbypassrls, r.rolcreaterole, r.rolinherit,
           (select array_agg(m.roleid::regrole::text order by 1) from pg_auth_members m where m.member = r.oid) as member_of
      from pg_roles r
     where r.rolname in ('anon', 'authenticated', 'service_role', 'stowage_web', 'stowage_service') or r.rolname = any ($1)
     order by 1`,
    [[...logins.values()]],
  )
  return rows
}

const refused = (work: Promise<unknown>): Promise<PgError> =>
  work.then(
    () => Promise.reject(new Error('it was not refused')),
    (error: unknown) => (error instanceof PgError ? error : Promise.reject(error)),
  )

const WHO = `select concat_ws('|', current_user, current_setting('request.jwt.claims'), current_setting('request.jwt.claim.sub'),
  current_setting('request.jwt.claim.role'), current_setting('request.jwt'), coalesce(auth.jwt() ->> 'sub', 'nobody'))`
const LINES = `select coalesce(string_agg(line, ',' order by id), '') from diary`

describe('one connection shared by everybody', () => {
  test('1,000 rounds of two users and nobody: each is who they are, and sees their own', async () => {
    const pool = web()
    const users = [caller('authenticated', 'ann'), caller('anon'), caller('authenticated', 'bob')]
    const lines = ['of ann', 'open', 'of bob']
    const who = users.map(({ role, claims, subject, token }) => [role, claims, subject ?? '', role, token, subject ?? 'nobody'].join('|'))
    for (let round = 0; round < 1_000; round++) {
      const i = round % 3
      const as = users[i]
      if (!as) throw new Error('no such user')
      const rows = await pool.send([statement(WHO), statement(LINES)], {
        as,
        access: round % 2 === 0 ? 'read only' : 'read write',
        end: round % 5 === 0 ? 'roll back' : 'commit',
      })
      expect(rows).toEqual([[[who[i] ?? '']], [[lines[i] ?? '']]])
      if (round % 7 === 0) await refused(pool.send([statement('select 1 / 0')], { as, end: round % 2 === 0 ? 'roll back' : 'commit' }))
    }
    expect(pool.stats().total).toBe(1)
    await pool.end()
  })

  test('2,000 batches at once, with failures, time-outs and callers who leave in between: each is who they are', async () => {
    const pool = database.pool({ url: urlOf('stowage_web'), waitMs: milliseconds(60_000), maxWaiting: 5_000 })
    const people = [caller('authenticated', 'ann'), caller('anon'), caller('authenticated', 'bob')]
    const lines = ['of ann', 'open', 'of bob']
    const forged = JSON.stringify({ role: 'authenticated', sub: 'bob' })
    const spoil = [
      () => refused(pool.send([statement('select 1 / 0')])),
      () => refused(pool.send([statement('select become($1)', 'service_role')])),
      () => pool.send([statement('select claim_lasting($1)', forged), statement(`select set_config('search_path', 'nowhere', false)`)]),
      () => refused(pool.send([statement('select claim_lasting($1)', forged), statement('select from nowhere')])),
      () => pool.send([statement('select pg_sleep(5)')], {}, AbortSignal.timeout(2)).catch(() => undefined),
      () => pool.send([statement('select 1')], {}, AbortSignal.abort()).catch(() => undefined),
    ]
    const work = async (worker: number) => {
      for (let round = 0; round < 100; round++) {
        const i = (worker * 7 + round) % 3
        const as = people[i] ?? caller('anon')
        const rows = await pool.send([statement(WHO), statement(LINES)], { as, access: round % 2 === 0 ? 'read only' : 'read write' })
        const who = [as.role, as.claims, as.subject ?? '', as.role, as.token, as.subject ?? 'nobody'].join('|')
        expect(rows).toEqual([[[who]], [[lines[i] ?? '']]])
        if (round % 25 === worker % 25) await spoil[(worker + round) % spoil.length]?.()
      }
    }
    await Promise.all(Array.from({ length: 20 }, (_, worker) => work(worker)))
    // the login itself, beside any scope: nobody's role and no open transaction is left on its connection
    const [left] = await pool.query({ text: `select current_user = session_user, current_setting('transaction_read_only')`, values: [] })
    expect(left).toEqual(['t', 'off'])
    expect(pool.stats().total).toBe(1)
    await pool.end()
  }, 60_000)

  test('what one leaves in its transaction is gone, whatever it tried', async () => {
    const pool = web()
    const ann = caller('authenticated', 'ann')
    const forged = JSON.stringify({ role: 'authenticated', sub: 'bob' })
    await pool.ask('select claim($1)', { as: ann }, forged)
    await pool.ask('select claim_lasting($1)', { as: ann }, forged)
    expect(await pool.ask(LINES, { as: ann })).toBe('of ann')
    expect(await pool.ask(LINES, { as: caller('anon') })).toBe('open')
    await pool.ask(`select become_lasting('anon')`, { as: ann })
    expect(await pool.ask(WHO, { as: caller('authenticated', 'bob') })).toContain('authenticated|')
    expect(await pool.ask(LINES, { as: caller('authenticated', 'bob') })).toBe('of bob')
    await pool.end()
  })
})

describe('a setting that outlives its transaction', () => {
  test.each([
    ['standard_conforming_strings', 'off', 'on'],
    ['DateStyle', 'German, DMY', /^ISO/],
    ['IntervalStyle', 'iso_8601', 'postgres'],
    ['client_encoding', 'LATIN1', 'UTF8'],
    ['TimeZone', 'Pacific/Kiritimati', /^(?!Pacific)/],
  ])('%s: nobody is served by that connection again', async (name, value, proper) => {
    const pool = web()
    const ann = caller('authenticated', 'ann')
    const lasting = () => pool.send([statement('select set_config($1, $2, false)', name, value)], { as: ann })
    const now = () => pool.ask('select current_setting($1)', { as: caller('authenticated', 'bob') }, name)
    await lasting()
    expect(await now()).toEqual(typeof proper === 'string' ? proper : expect.stringMatching(proper))
    // for one transaction alone it is everybody's right, and costs no connection
    const pid = await pool.ask('select pg_backend_pid()::text')
    await pool.send([statement('select set_config($1, $2, true)', name, value)], { as: ann })
    expect(await now()).toEqual(typeof proper === 'string' ? proper : expect.stringMatching(proper))
    expect(await pool.ask('select pg_backend_pid()::text')).toBe(pid)
    await pool.end()
  })
})

describe('the two logins', () => {
  test('the web login is a member of anon and authenticated alone, the service login of service_role alone', async () => {
    const owner = await database.connect()
    const of = async (login: string) =>
      (await owner.query(`select m.roleid::regrole::text as role from pg_auth_members m where m.member = $1::regrole order by 1`, [login]))
        .rows
    expect(await of('stowage_web')).toEqual([{ role: 'anon' }, { role: 'authenticated' }])
    expect(await of('stowage_service')).toEqual([{ role: 'service_role' }])
  })

  test('a function cannot become service_role, nor the owner, nor another login', async () => {
    const pool = web()
    for (const call of [
      `select become('service_role')`,
      `select become_lasting('service_role')`,
      `select become('postgres')`,
      `select become('stowage_service')`,
      `select session_is('postgres')`,
    ]) {
      const error = await refused(pool.send([statement(call), statement(LINES)], { as: caller('authenticated', 'ann') }))
      expect(error.sqlstate, call).toMatch(/^42501$/)
    }
    expect(await pool.ask(`select become('anon')`, { as: caller('authenticated', 'ann') })).toBe('anon')
    await pool.end()
  })

  test('no SQL of a caller steps up: by itself, in functions of his own or of the owner, in triggers, in prepared statements', async () => {
    const owner = await database.connect()
    await owner.query(`
      create schema playground;
      grant usage, create on schema playground to authenticated;
      -- as careless as an owner may be, and no way up all the same
      create function playground.definer(role text) returns text language plpgsql security definer as $$
        begin perform set_config('role', role, true); return current_user; end $$;
      create table playground.thing (id int);
      grant select, insert on playground.thing to authenticated;
      create function playground.on_insert() returns trigger language plpgsql as $$
        begin execute 'set local role service_role'; return new; end $$;
      create trigger t before insert on playground.thing for each row execute function playground.on_insert();`)
    const pool = web()
    const before = await rolesAndMembers()
    const attempts = [
      'set role service_role',
      'set local role service_role',
      'set session authorization service_role',
      'set local session authorization stowage_service',
      `select set_config('session_authorization', 'stowage_service', false)`,
      `select playground.definer('service_role')`,
      `select playground.definer('postgres')`,
      'insert into playground.thing values (1)',
      `do $$ begin set local role service_role; end $$`,
      `do $$ begin reset role; set local role service_role; end $$`,
      `do $$ begin execute 'set role ' || quote_ident('service_role'); end $$`,
      'alter role authenticated with superuser',
      'alter role authenticated with bypassrls',
      'grant service_role to authenticated',
      'grant stowage_service to stowage_web',
      'create role helper in role service_role',
      'alter table public.diary disable row level security',
      'alter table public.diary owner to authenticated',
      'create policy all_of_it on public.diary using (true)',
      'truncate public.diary',
      'create extension dblink',
      'create extension postgres_fdw',
      'create server s foreign data wrapper postgres_fdw',
      `copy public.diary to program 'cat'`,
      `select pg_read_file('pg_hba.conf')`,
      `select lo_import('/etc/hostname')`,
      `alter system set log_statement = 'all'`,
      `select * from stowage.versions`,
      `select * from stowage.migrations`,
      `delete from stowage.outbox`,
      `alter function auth.uid() rename to gone`,
      `create or replace function auth.uid() returns uuid language sql as 'select null::uuid'`,
      `create function storage.mine() returns int language sql as 'select 1'`,
      `alter default privileges grant all on tables to anon`,
      `set session_replication_role = replica`,
      `set row_security = off; select * from public.diary`,
    ]
    for (const attempt of attempts) {
      const outcome = await pool.send([statement(attempt), statement(LINES)], { as: caller('authenticated', 'ann') }).then(
        (rows) => ({ rows }),
        (error: unknown) => ({ error }),
      )
      if ('error' in outcome) expect(outcome.error, attempt).toBeInstanceOf(PgError)
      else expect(outcome.rows.at(-1), attempt).toEqual([['of ann']])
      // and whatever became of it, the next caller is who he is
      expect(await pool.ask(LINES, { as: caller('authenticated', 'bob') }), attempt).toBe('of bob')
    }
    // back to the login itself: a member of two roles, with no rights of its own
    const asLogin = await refused(pool.send([statement('reset role'), statement('select count(*) from public.diary')]))
    expect(asLogin.sqlstate).toBe('42501')
    expect(await rolesAndMembers()).toEqual(before)
    await owner.query('drop schema playground cascade')
    await pool.end()
  })

  test('no way to another database or host is installed', async () => {
    const owner = await database.connect()
    const { rows } = await owner.query(
      `select extname from pg_extension where extname in ('dblink', 'postgres_fdw', 'file_fdw', 'adminpack', 'plpython3u')`,
    )
    expect(rows).toEqual([])
  })

  test('a batch as service_role on the web login is refused before it runs', async () => {
    const pool = web()
    const error = await refused(pool.send([statement('select 1')], { as: caller('service_role') }))
    expect(error).toMatchObject({ statement: -1, sqlstate: '42501' })
    await pool.end()
  })

  test('on the service login service_role sees all rows, and callers cannot be', async () => {
    const pool = database.pool({ url: urlOf('stowage_service') })
    expect(await pool.ask(LINES, { as: caller('service_role') })).toBe('of ann,of bob,open')
    expect((await refused(pool.send([], { as: caller('authenticated', 'ann') }))).sqlstate).toBe('42501')
    await pool.end()
  })

  test('a plan prepared for one role is not used for the other', async () => {
    const pool = database.pool({ mostPrepared: 10 })
    const users = [caller('authenticated', 'ann'), caller('service_role'), caller('anon'), caller('authenticated', 'bob')]
    const lines = ['of ann', 'of ann,of bob,open', 'open', 'of bob']
    // six runs make PostgreSQL choose a generic plan
    for (let round = 0; round < 60; round++)
      expect(await pool.ask(LINES, { as: users[round % 4] ?? caller('anon') })).toBe(lines[round % 4])
    await pool.end()
  })
})
