import { setTimeout as sleep } from 'node:timers/promises'
import { getIntrospectionQuery } from 'graphql'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ServiceError } from '../../src/std/service-error.ts'
import { crowd } from '../support/crowd.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { CREATE_ROLES } from '../support/roles.ts'
import { type Answer, type GraphqlOn, graphqlOn } from './graphql-on.ts'

let database: FreshDatabase
let graphql: GraphqlOn
beforeAll(async () => {
  database = await freshDatabase('ddl_storm')
  const owner = await database.connect()
  await owner.query(`
    ${CREATE_ROLES}
    create extension stowage_graphql;
    comment on schema public is '@graphql({"introspection": true})';
    grant usage on schema public to anon;
    create table item (id serial primary key, name text not null);
    insert into item (name) select 'name' from generate_series(1, 5);
    create function called(item) returns text stable language plpgsql as $$ begin return $1.name; end $$;
    grant select, insert, update, delete on item to anon;
    grant usage on sequence item_id_seq to anon;
    create table tally (id int primary key, n int not null);
    insert into tally values (1, 0);
    grant select, insert, update, delete on tally to anon;
  `)
  graphql = graphqlOn(database.url, { maxConnections: 6 })
})
afterAll(async () => {
  await graphql.end()
  await database.drop()
})

const query = (text: string) => graphql.ask(text)
const messageOf = ({ errors }: Answer) => errors?.[0]?.message

/** Versions that the table holds: bounded, or each request's preamble would grow dear. */
const versions = async (client: pg.Client): Promise<number> =>
  (await client.query(`select count(*)::int as n from stowage_graphql.schema_version`)).rows[0].n

/** What the long-lived face shows must be what one that starts now shows. */
async function expectUpToDate(): Promise<void> {
  const fresh = graphqlOn(database.url)
  const asked = getIntrospectionQuery()
  expect(await graphql.text(asked)).toBe(await fresh.text(asked))
  await fresh.end()
}

/** Until a request waits for the lock that `holder`'s transaction has. */
async function untilWaiting(holder: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await holder.query(
      'select count(*)::int as n from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))',
    )
    if (rows[0].n > 0) return
    await sleep(10)
  }
}

type Change = { readonly sql: string; readonly sees: () => Promise<void> }

const node = (field: string) => `{ itemCollection(first: 1) { edges { node { ${field} } } } }`
const shows = (field: string, value: unknown) => async () =>
  expect(await query(node(field))).toEqual({ data: { itemCollection: { edges: [{ node: { [field]: value } }] } } })
const lacks = (field: string) => async () => expect(messageOf(await query(node(field)))).toBe(`Unknown field '${field}' on type 'item'`)
const root = (name: string, data: unknown) => async () =>
  expect(await query(`{ ${name}Collection { edges { node { id } } } }`)).toEqual({ data })
const noRoot = (name: string) => async () =>
  expect(messageOf(await query(`{ ${name}Collection { edges { node { id } } } }`))).toBe(`Unknown field "${name}Collection" on type Query`)

/** Each column holds its own name, so that a value under another field's name would show. */
function* cycle(i: number): Generator<Change> {
  const [a, b, t] = [`a${i}`, `b${i}`, `t${i}`]
  yield { sql: `alter table item add column ${a} text not null default '${a}'`, sees: shows('called', 'name') }
  yield { sql: `comment on column item.${a} is 'new'`, sees: shows(a, a) }
  yield {
    sql: `begin; alter table item rename column ${a} to ${b}; update item set ${b} = '${b}'; alter table item alter column ${b} set default '${b}'; commit`,
    sees: async () => {
      await lacks(a)()
      await shows(b, b)()
      await shows('called', 'name')()
    },
  }
  yield { sql: `revoke select on item from anon; grant select (id, name) on item to anon`, sees: lacks(b) }
  yield { sql: `grant select on item to anon`, sees: shows(b, b) }
  yield { sql: `comment on column item.${b} is '@graphql({"name": "shown${i}"})'`, sees: shows(`shown${i}`, b) }
  yield { sql: `comment on column item.${b} is null`, sees: shows(b, b) }
  yield {
    sql: `begin; alter table item drop column ${b}; alter table item add column ${b} int not null default ${i}; commit`,
    sees: shows(b, i),
  }
  yield {
    sql: `create table ${t} (id int primary key, item_id int references item (id)); grant select on ${t} to anon`,
    sees: root(t, { [`${t}Collection`]: { edges: [] } }),
  }
  yield { sql: `revoke all on ${t} from anon`, sees: noRoot(t) }
  yield { sql: `drop table ${t}`, sees: noRoot(t) }
  yield { sql: `alter table item drop column ${b}`, sees: lacks(b) }
}

/** Requests without a pause until told to stop; each answer is looked at. */
function steadily(ask: (round: number) => Promise<void>) {
  let stopped = false
  let rounds = 0
  const run = (async () => {
    for (; !stopped; rounds++) await ask(rounds)
  })()
  // a failure is told when it is waited for
  run.catch(() => undefined)
  return async (): Promise<number> => {
    stopped = true
    await run
    return rounds
  }
}

/** Enough to see; with TEST_HEAVY=1 as many as a minute must bear. */
const CHANGES = process.env.TEST_HEAVY ? 1_000 : 150

describe('changes of the schema, one after another, beside requests', () => {
  test('each is seen by the very next request, nobody gets an error or another column', { timeout: 180_000 }, async () => {
    const owner = await database.connect()
    let at = 0
    const stops = [
      steadily(async () => {
        const answer = await query('{ itemCollection(first: 2) { totalCount: __typename edges { node { id name } } } }')
        expect(answer).toEqual({
          data: { itemCollection: { totalCount: 'itemConnection', edges: [1, 2].map((id) => ({ node: { id, name: 'name' } })) } },
        })
      }),
      steadily(async (round) => {
        const answer = await query(
          `mutation { updatetallyCollection(set: { n: ${round} }, filter: { id: { eq: 1 } }) { affectedCount records { n } } }`,
        )
        expect(answer).toEqual({ data: { updatetallyCollection: { affectedCount: 1, records: [{ n: round }] } } })
      }),
      steadily(async (round) => {
        const answer = await query(
          `mutation { insertInto: insertIntotallyCollection(objects: [{ id: ${100 + round}, n: 1 }]) { affectedCount } deleteFrom: deleteFromtallyCollection(filter: { id: { eq: ${100 + round} } }) { affectedCount } }`,
        )
        expect(answer).toEqual({ data: { insertInto: { affectedCount: 1 }, deleteFrom: { affectedCount: 1 } } })
      }),
      steadily(async (round) => {
        // the changing columns themselves: their own name, their number, or not there
        const field = `${round % 2 === 0 ? 'a' : 'b'}${at}`
        const answer = await query(node(field))
        const [edge] =
          (answer.data as { itemCollection?: { edges: readonly { node: Record<string, unknown> }[] } } | null)?.itemCollection?.edges ?? []
        if (edge) expect([field, Number(field.slice(1))]).toContain(edge.node[field])
        else expect(messageOf(answer)).toBe(`Unknown field '${field}' on type 'item'`)
      }),
    ]
    const startedAt = performance.now()
    let changes = 0
    for (; changes < CHANGES; at++) {
      for (const { sql, sees } of cycle(at)) {
        await owner.query(sql)
        await sees()
        changes += sql.split(';').filter((part) => !/^\s*(begin|commit|update .*)?$/.test(part)).length
      }
    }
    const tookMs = performance.now() - startedAt
    const rounds = await Promise.all(stops.map((stop) => stop()))
    console.log(
      `${changes} changes in ${Math.round(tookMs)} ms beside ${rounds.join(' + ')} requests, ${graphql.reflections()} reflections`,
    )
    expect(Math.min(...rounds)).toBeGreaterThan(20)
    expect(tookMs / changes).toBeLessThan(150 * crowd())
    expect(await versions(owner)).toBeLessThan(10)
    await expectUpToDate()
  })
})

describe('changes of the schema from several sessions', () => {
  test('at once, some undone, some under repeatable read: no request fails, and the end is seen', { timeout: 120_000 }, async () => {
    const sessions = await Promise.all(Array.from({ length: 4 }, () => database.connect()))
    const owner = await database.connect()
    const stop = [0, 1].map(() =>
      steadily(async () => {
        expect(await query('{ itemCollection(first: 1) { edges { node { id name } } } }')).toEqual({
          data: { itemCollection: { edges: [{ node: { id: 1, name: 'name' } }] } },
        })
      }),
    )
    const startedAt = performance.now()
    await Promise.all(
      sessions.map(async (client, s) => {
        for (let i = 0; i < 30; i++) {
          const table = `many_${s}_${i}`
          const level = i % 3 === 0 ? 'repeatable read' : i % 3 === 1 ? 'serializable' : 'read committed'
          await client.query(`begin isolation level ${level}`)
          await client.query(`create table ${table} (id int primary key, n int)`)
          await client.query(`grant select on ${table} to anon`)
          await client.query(`alter table ${table} add column more text`)
          await client.query(i % 4 === 3 ? 'rollback' : 'commit')
        }
      }),
    )
    const tookMs = performance.now() - startedAt
    const rounds = await Promise.all(stop.map((end) => end()))
    console.log(
      `360 changes from 4 sessions in ${Math.round(tookMs)} ms beside ${rounds.join(' + ')} requests; ${await versions(owner)} versions kept`,
    )
    for (const [name, there] of [
      ['many_0_0', true],
      ['many_3_3', false],
      ['many_2_28', true],
    ] as const) {
      expect(messageOf(await query(`{ ${name}Collection { edges { node { id more } } } }`)) === undefined, name).toBe(there)
    }
    await expectUpToDate()
    // whatever repeatable read left behind goes with the next change
    await owner.query('comment on table item is null')
    expect(await versions(owner)).toBeLessThan(10)
    await Promise.all([...sessions, owner].map((client) => client.end()))
  })

  test('faster than the schema can be read: an answer, or 503, never an internal error', { timeout: 60_000 }, async () => {
    const sessions = await Promise.all(Array.from({ length: 3 }, () => database.connect()))
    let stopped = false
    const storm = sessions.map(async (client, s) => {
      for (let i = 0; !stopped; i++) await client.query(`create table storm_${s} (id int primary key, n${i} int); drop table storm_${s}`)
    })
    const outcomes: string[] = []
    const until = performance.now() + 3_000
    while (performance.now() < until) {
      outcomes.push(
        await graphql.text('{ itemCollection(first: 1) { edges { node { id } } } }').catch((error: unknown) => {
          if (error instanceof ServiceError) return `${error.status} ${error.code}`
          throw error
        }),
      )
    }
    stopped = true
    await Promise.all(storm)
    const answered = '{"data":{"itemCollection":{"edges":[{"node":{"id":1}}]}}}'
    expect([...new Set(outcomes)].filter((outcome) => outcome !== answered && outcome !== '503 SchemaChanging')).toEqual([])
    expect(await graphql.text('{ itemCollection(first: 1) { edges { node { id } } } }')).toBe(answered)
    console.log(`${outcomes.filter((outcome) => outcome === answered).length} of ${outcomes.length} requests answered in the storm`)
    await Promise.all(sessions.map((client) => client.end()))
  })

  test('a change that is not committed is not seen, and one undone never', async () => {
    const client = await database.connect()
    await query('{ itemCollection { edges { node { id } } } }')
    await client.query('begin; create table unseen (id int primary key); grant select on unseen to anon')
    const before = graphql.reflections()
    await noRoot('unseen')()
    expect(graphql.reflections()).toBe(before)
    await client.query('rollback')
    await noRoot('unseen')()
    expect(graphql.reflections()).toBe(before)
    await client.query('create table seen (id int primary key); grant select on seen to anon')
    await root('seen', { seenCollection: { edges: [] } })()
    await client.end()
  })

  test('a request never waits for a change that is not committed', async () => {
    const client = await database.connect()
    await client.query('begin; create table waiting (id int primary key); comment on table tally is null; grant select on waiting to anon')
    const startedAt = performance.now()
    expect((await query('{ itemCollection(first: 1) { edges { node { id } } } }')).errors).toBe(undefined)
    const other = await database.connect()
    await other.query(`set lock_timeout = '2s'`)
    await other.query('create table not_waiting (id int primary key); grant select on not_waiting to anon')
    await root('not_waiting', { not_waitingCollection: { edges: [] } })()
    expect(performance.now() - startedAt).toBeLessThan(2_000 * crowd())
    await client.query('rollback')
    await Promise.all([client.end(), other.end()])
  })

  test('a request that waited for a change’s lock is answered by what came of it', async () => {
    const client = await database.connect()
    await client.query(`
      create table changing (id int primary key, n int, m text, o text);
      insert into changing values (1, 5, 'of m', 'of o');
      grant select, insert, update on changing to anon;
      comment on column changing.m is '@graphql({"name": "shownM"})';
      comment on column changing.o is '@graphql({"name": "shownO"})'`)
    const waited = async (change: string, asked: string): Promise<Answer> => {
      await query(asked)
      await client.query(`begin; ${change}`)
      const answer = query(asked)
      await untilWaiting(client)
      await client.query('commit')
      return answer
    }
    const read = '{ changingCollection { edges { node { n shownM shownO } } } }'
    const row = (node: object) => ({ data: { changingCollection: { edges: [{ node }] } } })
    expect(await waited(`alter table changing alter column n type text using 'five'`, read)).toEqual(
      row({ n: 'five', shownM: 'of m', shownO: 'of o' }),
    )
    expect(await waited(`alter table changing alter column n type int using 6`, read)).toEqual(
      row({ n: 6, shownM: 'of m', shownO: 'of o' }),
    )
    expect(
      await waited(
        `alter table changing rename column m to x; alter table changing rename column o to m; alter table changing rename column x to o`,
        read,
      ),
    ).toEqual(row({ n: 6, shownM: 'of m', shownO: 'of o' }))
    expect(messageOf(await waited(`alter table changing rename column n to gone`, read))).toBe(`Unknown field 'n' on type 'changing'`)
    const write = 'mutation { updatechangingCollection(set: { gone: 7 }) { records { gone } } }'
    const other =
      'mutation { updatechangingCollection(set: { gone: 8 }) { records { gone } } updateAgain: updatechangingCollection(set: { gone: "9" }) { records { gone } } }'
    expect(await waited(`alter table changing add column extra int`, write)).toEqual({
      data: { updatechangingCollection: { records: [{ gone: 7 }] } },
    })
    expect(messageOf(await waited(`alter table changing alter column gone type text`, write))).toBe('Invalid input for String(None) type')
    expect(messageOf(await query(other))).toMatch(/Invalid input/)
    await client.end()
  })

  test('a request for the schema before a change has done nothing when it is planned anew', async () => {
    const client = await database.connect()
    // what sequences have counted is not undone with a transaction
    await client.query(`
      create sequence begun;
      select nextval('begun');
      grant usage on sequence begun to anon;
      create table watched (id int primary key default nextval('begun'), n int);
      grant select, insert, update, delete on watched to anon;
      create function count_begun() returns trigger language plpgsql as $$ begin perform nextval('begun'); return null; end $$;
      create trigger counts before insert or update or delete on watched for each statement execute function count_begun();
      create function "beginOnce"() returns bigint language sql volatile as $$ select nextval('begun') $$`)
    const begun = async (): Promise<number> => Number((await client.query('select last_value from begun')).rows[0].last_value)
    const asked = [
      'mutation { insertIntowatchedCollection(objects: [{ n: 1 }]) { affectedCount } }',
      'mutation { insertIntowatchedCollection(objects: [{}]) { affectedCount } }',
      'mutation { updatewatchedCollection(set: { n: 2 }, atMost: 1000) { records { n } } }',
      'mutation { deleteFromwatchedCollection(filter: { id: { lt: 0 } }) { affectedCount } }',
      'mutation { beginOnce }',
      'mutation { beginOnce again: beginOnce }',
    ]
    for (const text of asked) {
      const once = async (): Promise<number> => {
        const before = await begun()
        expect(await query(text)).not.toHaveProperty('errors')
        return (await begun()) - before
      }
      const counted = await once()
      expect(counted, text).toBeGreaterThan(0)
      await client.query(`comment on table watched is 'changed for ${counted}'; create table if not exists bystander (id int)`)
      expect(await once(), text).toBe(counted)
    }
    await client.end()
  })

  test('a value that only the type before a change refuses is taken', async () => {
    const client = await database.connect()
    await client.query(`
      create table typed (id int primary key, at timestamptz);
      insert into typed values (1, null);
      grant select, insert, update on typed to anon`)
    const update = 'mutation ($at: Datetime) { updatetypedCollection(set: { at: $at }) { affectedCount } }'
    const filtered = 'query ($at: Datetime) { typedCollection(filter: { at: { eq: $at } }) { edges { node { id } } } }'
    const today = { at: '2026-01-01' }
    expect(await graphql.ask(update, today)).toEqual({ data: { updatetypedCollection: { affectedCount: 1 } } })
    expect(await graphql.ask(filtered, today)).toEqual({ data: { typedCollection: { edges: [{ node: { id: 1 } }] } } })
    await client.query('alter table typed alter column at type text')
    expect(await graphql.ask(update, { at: 'noon' })).toEqual({ data: { updatetypedCollection: { affectedCount: 1 } } })
    await client.query('alter table typed alter column at type timestamptz using null')
    expect(await graphql.ask(filtered, { at: '2026-01-01' })).toEqual({ data: { typedCollection: { edges: [] } } })
    await client.query('alter table typed alter column at type text')
    expect(await graphql.ask(filtered, { at: 'noon' })).toEqual({ data: { typedCollection: { edges: [] } } })
    await client.end()
  })

  test('temporary objects are their session’s own affair', async () => {
    const client = await database.connect()
    await query('{ itemCollection { edges { node { id } } } }')
    const before = graphql.reflections()
    await client.query('create temp table scratch (id int); alter table scratch add column n int; drop table scratch')
    await query('{ itemCollection { edges { node { id } } } }')
    expect(graphql.reflections()).toBe(before)
    await client.end()
  })
})
