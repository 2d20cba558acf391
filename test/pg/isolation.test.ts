import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PgError } from '../../src/pg/pg-error.ts'
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
    const pool = database.pool({ preparedPerRole: 10 })
    const users = [caller('authenticated', 'ann'), caller('service_role'), caller('anon'), caller('authenticated', 'bob')]
    const lines = ['of ann', 'of ann,of bob,open', 'open', 'of bob']
    // six runs make PostgreSQL choose a generic plan
    for (let round = 0; round < 60; round++)
      expect(await pool.ask(LINES, { as: users[round % 4] ?? caller('anon') })).toBe(lines[round % 4])
    await pool.end()
  })
})
