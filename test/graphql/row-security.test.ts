import { describe, expect, test } from 'vitest'
import type { Asker } from './graphql-on.ts'
import { graphqlWorld } from './graphql-world.ts'

const ann: Asker = { role: 'authenticated', subject: 'ann' }
const bob: Asker = { role: 'authenticated', subject: 'bob' }
const anon: Asker = { role: 'anon' }

const world = graphqlWorld(
  'row_security',
  `
    comment on schema public is '@graphql({"introspection": true})';
    create function me() returns text language sql stable as $$ select nullif(current_setting('request.jwt.claims', true), '')::json ->> 'sub' $$;
    create table folder (id int primary key, owner text not null);
    create table paper (
      id int primary key,
      owner text not null default me(),
      folder_id int not null references folder (id),
      title text,
      hidden_note text,
      score int
    );
    comment on table paper is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
    create index on paper (owner);
    insert into folder values (1, 'ann'), (2, 'bob');
    insert into paper select i, case when i % 3 = 0 then 'ann' else 'bob' end, 2, 'title ' || i, 'note ' || i, i from generate_series(1, 30) i;
    update paper set folder_id = 1 where id in (3, 4);
    alter table folder enable row level security;
    alter table paper enable row level security;
    create policy own on folder to authenticated using (owner = me());
    create policy readable on paper for select to authenticated using (owner = me());
    create policy insertable on paper for insert to authenticated with check (score < 1000);
    create policy changeable on paper for update to authenticated using (owner = me()) with check (owner = me());
    create policy removable on paper for delete to authenticated using (owner = me());
    grant usage on schema public to anon, authenticated, service_role;
    grant select on folder to authenticated, anon, service_role;
    grant select (id, owner, folder_id, title, score), insert, update, delete on paper to authenticated;
    grant select on paper to anon, service_role;

    -- raises when it is shown a row that is not the caller's
    create function _watched(folder) returns text language plpgsql stable as $$
      begin if $1.owner <> me() then raise exception 'shown a row of %', $1.owner; end if; return 'fine'; end
    $$;
    create function all_titles() returns setof text language sql stable security definer as $$ select title from paper $$;
    create function count_all() returns int language sql stable security definer as $$ select count(*)::int from paper $$;
    revoke execute on function count_all() from public;
    grant execute on function count_all() to authenticated;

    create table broken (id int primary key, n int);
    insert into broken values (1, 0), (2, 1);
    alter table broken enable row level security;
    create policy divides on broken using (1 / n > 0);
    create table looping (id int primary key);
    insert into looping values (1);
    alter table looping enable row level security;
    create policy asks_itself on looping using (exists (select from looping l where l.id = looping.id));
    create table casting (id int primary key, owner uuid);
    insert into casting values (1, null);
    alter table casting enable row level security;
    create policy casts on casting using (owner = me()::uuid);
    grant select on broken, looping, casting to authenticated;
  `,
)

const nodeId = (...parts: readonly unknown[]) => Buffer.from(`[${parts.map((part) => JSON.stringify(part)).join(', ')}]`).toString('base64')
const ask = (query: string, as: Asker, variables?: unknown) => world.graphql.ask(query, variables, as)
const message = async (query: string, as: Asker) => (await ask(query, as)).errors?.[0]?.message

describe('rows that a policy hides', () => {
  test('are neither listed nor counted nor paged over', async () => {
    const answer = await ask(
      `{ paperCollection(first: 10) { totalCount aggregate { count sum { score } max { score } } edges { node { owner } } pageInfo { hasNextPage hasPreviousPage } }
         end: paperCollection(last: 3) { edges { node { id } } pageInfo { hasNextPage hasPreviousPage } }
         none: paperCollection(filter: { owner: { eq: "bob" } }) { totalCount edges { node { id } } } }`,
      ann,
    )
    expect(answer).toEqual({
      data: {
        paperCollection: {
          totalCount: 10,
          aggregate: { count: 10, sum: { score: 165 }, max: { score: 30 } },
          edges: Array.from({ length: 10 }, () => ({ node: { owner: 'ann' } })),
          pageInfo: { hasNextPage: false, hasPreviousPage: false },
        },
        end: { edges: [24, 27, 30].map((id) => ({ node: { id } })), pageInfo: { hasNextPage: false, hasPreviousPage: true } },
        none: { totalCount: 0, edges: [] },
      },
    })
  })

  test('are null at the end of a required key, without an error', async () => {
    const answer = await ask('{ paperCollection(filter: { id: { in: [3, 6] } }) { edges { node { id folder { id } } } } }', ann)
    expect(answer).toEqual({
      data: { paperCollection: { edges: [{ node: { id: 3, folder: { id: 1 } } }, { node: { id: 6, folder: null } }] } },
    })
    expect(await ask('{ folderCollection { edges { node { id paperCollection { totalCount edges { node { id } } } } } } }', ann)).toEqual({
      data: { folderCollection: { edges: [{ node: { id: 1, paperCollection: { totalCount: 1, edges: [{ node: { id: 3 } }] } } }] } },
    })
  })

  test('are not found by key or nodeId, and are not told from rows that are not there', async () => {
    const asked = 'query ($id: ID!) { node(nodeId: $id) { nodeId ... on paper { title } } }'
    expect(await ask(asked, ann, { id: nodeId('public', 'paper', 3) })).toEqual({
      data: { node: { nodeId: nodeId('public', 'paper', 3), title: 'title 3' } },
    })
    const hidden = await world.graphql.text(asked, { id: nodeId('public', 'paper', 4) }, ann)
    expect(hidden).toBe(await world.graphql.text(asked, { id: nodeId('public', 'paper', 404) }, ann))
    expect(JSON.parse(hidden)).toEqual({ data: { node: null } })
    expect(await ask('{ paperByPk(id: 4) { id } }', ann)).toEqual({ data: { paperByPk: null } })
    expect(await ask(`{ paperCollection(filter: { nodeId: { eq: "${nodeId('public', 'paper', 4)}" } }) { totalCount } }`, ann)).toEqual({
      data: { paperCollection: { totalCount: 0 } },
    })
    const elsewhere = (schema: string, table: string) => world.graphql.text(asked, { id: nodeId(schema, table, 1) }, ann)
    const nowhere = await elsewhere('public', 'no_such_table')
    expect(await elsewhere('pg_catalog', 'pg_authid')).toBe(nowhere)
    expect(await elsewhere('stowage_graphql', 'schema_version')).toBe(nowhere)
    expect(JSON.parse(nowhere)).toMatchObject({ data: null })
  })

  test('cannot be changed or removed', async () => {
    expect(
      await ask(
        'mutation { updatepaperCollection(set: { title: "x" }, filter: { id: { in: [1, 2] } }, atMost: 10) { affectedCount records { id } } }',
        ann,
      ),
    ).toEqual({
      data: { updatepaperCollection: { affectedCount: 0, records: [] } },
    })
    expect(
      await ask('mutation { deleteFrompaperCollection(filter: { owner: { eq: "bob" } }, atMost: 100) { affectedCount } }', ann),
    ).toEqual({
      data: { deleteFrompaperCollection: { affectedCount: 0 } },
    })
    expect(await ask('{ paperCollection(filter: { title: { like: "title %" } }) { totalCount } }', { role: 'service_role' })).toEqual({
      data: { paperCollection: { totalCount: 30 } },
    })
  })

  test('are shown to no function of the row', async () => {
    expect(await ask('{ folderCollection { edges { node { id watched } } } }', ann)).toEqual({
      data: { folderCollection: { edges: [{ node: { id: 1, watched: 'fine' } }] } },
    })
  })
})

describe('rows that would be hidden once written', () => {
  const left = async () => (await ask('{ paperCollection { totalCount } }', { role: 'service_role' })).data

  test('are refused on insert, and nothing is kept: what is answered must be readable', async () => {
    const before = await left()
    const refused = await ask(
      'mutation { insertIntopaperCollection(objects: [{ id: 101, folder_id: 1, owner: "bob" }]) { affectedCount } }',
      ann,
    )
    expect(refused).toMatchObject({
      data: null,
      errors: [{ message: 'new row violates row-level security policy for table "paper"', extensions: { code: '42501' } }],
    })
    expect(
      await message('mutation { insertIntopaperCollection(objects: [{ id: 102, folder_id: 1, score: 5000 }]) { records { id } } }', ann),
    ).toMatch(/row-level security/)
    // one good, one bad: neither
    expect(
      await message(
        'mutation { insertIntopaperCollection(objects: [{ id: 103, folder_id: 1, score: 1 }, { id: 104, folder_id: 1, owner: "bob", score: 1 }]) { affectedCount } }',
        ann,
      ),
    ).toMatch(/row-level security/)
    expect(await left()).toEqual(before)
  })

  test('are refused on update, and an earlier root is undone', async () => {
    expect(
      await message(
        'mutation { a: updatepaperCollection(set: { title: "changed" }, filter: { id: { eq: 3 } }) { affectedCount } b: updatepaperCollection(set: { owner: "bob" }, filter: { id: { eq: 6 } }) { affectedCount } }',
        ann,
      ),
    ).toMatch(/row-level security/)
    expect(await ask('{ paperByPk(id: 3) { title } }', ann)).toEqual({ data: { paperByPk: { title: 'title 3' } } })
  })

  test('the default of the claims decides whose they are', async () => {
    expect(
      await ask('mutation { insertIntopaperCollection(objects: [{ id: 200, folder_id: 1, score: 1 }]) { records { id owner } } }', bob),
    ).toEqual({
      data: { insertIntopaperCollection: { records: [{ id: 200, owner: 'bob' }] } },
    })
    expect(await ask('mutation { deleteFrompaperCollection(filter: { id: { eq: 200 } }) { records { id } } }', ann)).toEqual({
      data: { deleteFrompaperCollection: { records: [] } },
    })
    expect(await ask('mutation { deleteFrompaperCollection(filter: { id: { eq: 200 } }) { records { id } } }', bob)).toEqual({
      data: { deleteFrompaperCollection: { records: [{ id: 200 }] } },
    })
  })
})

describe('columns and functions without a grant', () => {
  test('are no fields, no filters, no orders', async () => {
    expect(await message('{ paperCollection { edges { node { hidden_note } } } }', ann)).toBe(`Unknown field 'hidden_note' on type 'paper'`)
    expect(await message('{ paperCollection(filter: { hidden_note: { like: "%" } }) { edges { node { id } } } }', ann)).toMatch(
      /hidden_note/,
    )
    expect(await message('{ paperCollection(orderBy: { hidden_note: AscNullsLast }) { edges { node { id } } } }', ann)).toMatch(
      /hidden_note/,
    )
    expect(await message('{ count_all }', anon)).toBe('Unknown field "count_all" on type Query')
    expect(await ask('{ count_all }', ann)).toEqual({ data: { count_all: 30 } })
  })

  test('are not let through by an aggregate either', async () => {
    const answer = await ask('{ paperCollection { aggregate { max { hidden_note } } } }', ann)
    expect(answer.data).toBe(null)
    expect(JSON.stringify(answer)).not.toContain('note 3')
  })

  test('are not in the type system of the role, whoever asked before', async () => {
    const types = '{ __type(name: "paper") { fields { name } } }'
    const fields = async (as: Asker) => JSON.stringify((await ask(types, as)).data)
    expect(await fields({ role: 'service_role' })).toContain('hidden_note')
    expect(await fields(ann)).not.toContain('hidden_note')
    expect(await fields(anon)).toContain('hidden_note')
  })
})

describe('a policy that fails', () => {
  test.each([
    ['broken', '22012'],
    ['looping', '42P17'],
    ['casting', '22P02'],
  ])('%s: an error with its code, and the connection goes on', async (table, code) => {
    const answer = await ask(`{ ${table}Collection { edges { node { id } } } }`, ann)
    expect(answer).toMatchObject({ data: null, errors: [{ extensions: { code } }] })
    expect(await ask('{ paperByPk(id: 3) { id } }', ann)).toEqual({ data: { paperByPk: { id: 3 } } })
  })
})

describe('one connection, one document, two users', () => {
  const ROUNDS = process.env.TEST_HEAVY ? 10_000 : 1_000

  test('in turns: the rows are never mixed', { timeout: 120_000 }, async () => {
    const asked = '{ paperCollection(first: 1) { totalCount edges { node { owner title } } } }'
    const of = (owner: string, totalCount: number, title: string) =>
      `{"data":{"paperCollection":{"totalCount":${totalCount},"edges":[{"node":{"owner":"${owner}","title":"${title}"}}]}}}`
    const turns = [
      [ann, of('ann', 10, 'title 3')],
      [bob, of('bob', 20, 'title 1')],
      [{ role: 'authenticated' }, '{"data":{"paperCollection":{"totalCount":0,"edges":[]}}}'],
      [{ role: 'service_role' }, of('bob', 30, 'title 1')],
      [anon, '{"data":{"paperCollection":{"totalCount":0,"edges":[]}}}'],
    ] as const
    for (let round = 0; round < ROUNDS; round++) {
      const [as, wanted] = turns[round % turns.length] ?? turns[0]
      const had = await world.graphql.text(asked, {}, as)
      if (had !== wanted) expect({ round, had }).toEqual({ round, had: wanted })
    }
    expect(world.graphql.pool.stats().total).toBe(1)
  })
})
