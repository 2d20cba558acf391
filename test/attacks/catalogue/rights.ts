import { expect } from 'vitest'
import type { Attack } from '../attack.ts'
import { graphqlBody, messagesOf, storageError } from '../outcome.ts'
import { type Answer, jsonOf } from '../raw.ts'
import { routeTable } from '../route-table.ts'
import { type Ask, USER_A, USER_B, type Who, type World } from '../world.ts'

type Use = { readonly target: string; readonly body?: string | object; readonly as?: 'service' }

/**
 * How each route could be used against A's object priv/a.txt or his bucket; null: there is nothing of anybody's behind it.
 * A route that is not listed fails.
 */
const USES: Readonly<Record<string, readonly Use[] | null>> = {
  'GET /bucket': [{ target: '/bucket' }],
  'GET /bucket/': [{ target: '/bucket/' }],
  'POST /bucket': null,
  'POST /bucket/': null,
  'GET /bucket/:bucketId': [{ target: '/bucket/of-a' }],
  'PUT /bucket/:bucketId': [{ target: '/bucket/of-a', body: { public: true } }],
  'DELETE /bucket/:bucketId': [{ target: '/bucket/of-a' }],
  'POST /bucket/:bucketId/empty': [{ target: '/bucket/of-a/empty' }],
  'GET /object/:bucketName/*': [{ target: '/object/priv/a.txt' }, { target: '/object/priv/a.txt?download=x' }],
  'HEAD /object/:bucketName/*': [{ target: '/object/priv/a.txt' }],
  'POST /object/:bucketName/*': [{ target: '/object/priv/a.txt', body: 'of B' }],
  'PUT /object/:bucketName/*': [{ target: '/object/priv/a.txt', body: 'of B' }],
  'DELETE /object/:bucketName/*': [{ target: '/object/priv/a.txt' }],
  'DELETE /object/:bucketName': [{ target: '/object/priv', body: { prefixes: ['a.txt'] } }],
  'GET /object/authenticated/:bucketName/*': [{ target: '/object/authenticated/priv/a.txt' }],
  'HEAD /object/authenticated/:bucketName/*': [{ target: '/object/authenticated/priv/a.txt' }],
  'GET /object/public/:bucketName/*': [{ target: '/object/public/priv/a.txt' }],
  'HEAD /object/public/:bucketName/*': [{ target: '/object/public/priv/a.txt' }],
  'GET /object/info/:bucketName/*': [{ target: '/object/info/priv/a.txt' }],
  'GET /object/info/authenticated/:bucketName/*': [{ target: '/object/info/authenticated/priv/a.txt' }],
  'GET /object/info/public/:bucketName/*': [{ target: '/object/info/public/priv/a.txt' }],
  'GET /object/sign/:bucketName/*': [{ target: '/object/sign/priv/a.txt?token=x' }],
  'HEAD /object/sign/:bucketName/*': [{ target: '/object/sign/priv/a.txt?token=x' }],
  'POST /object/sign/:bucketName/*': [{ target: '/object/sign/priv/a.txt', body: { expiresIn: 60 } }],
  'POST /object/sign/:bucketName': [{ target: '/object/sign/priv', body: { expiresIn: 60, paths: ['a.txt'] } }],
  'POST /object/upload/sign/:bucketName/*': [{ target: '/object/upload/sign/priv/a.txt' }],
  'PUT /object/upload/sign/:bucketName/*': [{ target: '/object/upload/sign/priv/a.txt?token=x', body: 'of B' }],
  'POST /object/move': [
    { target: '/object/move', body: { bucketId: 'priv', sourceKey: 'a.txt', destinationKey: 'stolen' } },
    { target: '/object/move', body: { bucketId: 'priv', sourceKey: 'of-b.txt', destinationKey: 'a.txt' } },
  ],
  'POST /object/copy': [
    { target: '/object/copy', body: { bucketId: 'priv', sourceKey: 'a.txt', destinationKey: 'stolen' } },
    { target: '/object/copy', body: { bucketId: 'priv', sourceKey: 'of-b.txt', destinationKey: 'a.txt' } },
  ],
  'POST /object/list/:bucketName': [{ target: '/object/list/priv', body: { prefix: '', search: 'a.' } }],
  'POST /object/list-v2/:bucketName': [{ target: '/object/list-v2/priv', body: { prefix: 'a' } }],
  'DELETE /cdn': [{ target: '/cdn' }],
  'DELETE /cdn/:bucketName': [{ target: '/cdn/priv' }],
  'DELETE /cdn/:bucketName/*': [{ target: '/cdn/priv/a.txt' }],
  'POST /graphql/v1': null,
  'GET /graphql/v1': null,
  'GET /openapi.json': null,
  'GET /health': null,
  'GET /status': null,
  'GET /version': null,
}

/** HEAD where GET has one is the same handler. */
const usesOf = (route: string): readonly Use[] | null | undefined => (route in USES ? USES[route] : USES[route.replace(/^HEAD /, 'GET ')])

const people = async (world: World, as: Ask): Promise<readonly { id: number }[]> => {
  const answer = await world.graphql('{accountCollection(first:100){edges{node{id owner}}}}', as)
  const { accountCollection } = graphqlBody(answer).data as { accountCollection: { edges: { node: { id: number; owner: string } }[] } }
  return accountCollection.edges.map(({ node }) => node)
}

export const RIGHTS: readonly Attack[] = [
  {
    id: 'RL-01',
    what: "B, anonymous callers and nobody at all against A's object, on every route that there is",
    play: async (world) => {
      await world.ask('POST', '/bucket', { body: { name: 'of-a' } })
      await world.ask('POST', '/object/of-a/x', { body: 'x' })
      await world.ask('POST', '/object/priv/of-b.txt', { as: 'B', body: 'of B' })
      const routes = await routeTable()
      expect(
        routes.filter((route) => usesOf(route) === undefined),
        'routes that nobody has attacked yet',
      ).toEqual([])
      for (const route of routes) {
        const [method = ''] = route.split(' ')
        for (const { target, body = '' } of usesOf(route) ?? []) {
          for (const as of ['B', 'anon', null] as const) {
            for (const mount of ['', '/storage/v1']) {
              const answer = await world.ask(method, `${mount}${target}`, { as, body })
              const told = `${as} ${method} ${mount}${target}: ${answer.status} ${answer.body}`
              if (answer.status !== 200)
                expect(storageError(answer)?.statusCode ?? String(answer.status), told).toBeOneOf(['400', '403', '404', '409'])
              else if (body === '' || method !== 'DELETE')
                expect(answer.body.toString(), told).not.toMatch(/the text of A|"name":"a\.txt"|of-a|token=/)
              expect(
                answer.headers.find(([name]) => name === 'etag' || name === 'content-range'),
                told,
              ).toBeUndefined()
            }
          }
        }
      }
      expect((await world.ask('GET', '/object/authenticated/priv/a.txt')).body.toString()).toBe('the text of A')
      expect((await world.ask('GET', '/object/authenticated/of-a/x')).body.toString()).toBe('x')
      expect((jsonOf(await world.ask('GET', '/bucket/of-a')) as { public: boolean }).public).toBe(false)
    },
  },
  {
    id: 'RL-06',
    what: 'policies that divide by zero, cast badly and turn in circles',
    play: async (world) => {
      for (const table of ['divides', 'turns', 'casts']) {
        const answer = await world.graphql(`{${table}Collection{edges{node{id}}}}`)
        expect([answer.status, graphqlBody(answer).data], table).toEqual([200, null])
        expect(messagesOf(answer)).toHaveLength(1)
      }
      for (const bucket of ['divides', 'casts']) {
        await world.ask('POST', '/bucket', { as: 'service', body: { name: bucket } })
        await world.ask('POST', `/object/${bucket}/x`, { as: 'service', body: 'x' })
        await world.db.query('update storage.objects set owner_id = $1 where bucket_id = $2', [USER_A, bucket])
        for (const [method, target, body] of [
          ['GET', `/object/authenticated/${bucket}/x`, ''],
          ['POST', `/object/list/${bucket}`, { prefix: '' }],
          ['DELETE', `/object/${bucket}/x`, ''],
          ['POST', `/object/sign/${bucket}/x`, { expiresIn: 60 }],
          ['PUT', `/object/${bucket}/x`, 'y'],
        ] as const) {
          const answer = await world.ask(method, target, { body })
          expect(answer.status, `${method} ${target} ${answer.body}`).toBeOneOf([400, 503])
        }
        expect((await world.ask('GET', '/object/authenticated/priv/a.txt')).status).toBe(200)
      }
    },
  },
  {
    id: 'RL-07',
    what: 'a relation to a row that may not be seen is null, also where the key may not be',
    play: async (world) => {
      const answer = await world.graphql('{noteCollection{edges{node{id account{id}}}}}', { as: 'A' })
      expect(graphqlBody(answer)).toEqual({
        data: { noteCollection: { edges: [{ node: { id: 1, account: { id: 1 } } }, { node: { id: 2, account: null } }] } },
      })
    },
  },
  {
    id: 'RL-08',
    what: 'counts, aggregates and pages tell of visible rows alone',
    play: async (world) => {
      const answer = await world.graphql(
        '{accountCollection(first:2){totalCount pageInfo{hasNextPage hasPreviousPage} aggregate{count max{id}} edges{node{id}}}}',
        { as: 'A' },
      )
      expect(graphqlBody(answer).data).toEqual({
        accountCollection: {
          totalCount: 2,
          pageInfo: { hasNextPage: false, hasPreviousPage: false },
          aggregate: { count: 2, max: { id: 2 } },
          edges: [{ node: { id: 1 } }, { node: { id: 2 } }],
        },
      })
      const nested = await world.graphql(
        '{accountCollection(filter:{id:{eq:1}}){edges{node{accountCollection{totalCount edges{node{id}}}}}}}',
        { as: 'A' },
      )
      expect(JSON.stringify(graphqlBody(nested).data)).toContain('"totalCount":1')
      const behind = await world.graphql(
        '{accountCollection(first:1,after:null,filter:{owner:{neq:"x"}},orderBy:[{id:DescNullsLast}]){edges{node{id}}}}',
        { as: 'B' },
      )
      expect(JSON.stringify(graphqlBody(behind).data)).toBe('{"accountCollection":{"edges":[{"node":{"id":3}}]}}')
    },
  },
  {
    id: 'RL-10',
    what: 'an insert that its maker may not read back',
    play: async (world) => {
      const answer = await world.graphql('mutation{insertIntodropboxCollection(objects:[{body:"secret"}]){affectedCount records{id body}}}')
      expect(answer.status).toBe(200)
      expect(answer.body.toString()).not.toContain('secret')
      const other = await world.graphql(`mutation{insertIntoaccountCollection(objects:[{owner:"${USER_B}",name:"forged"}]){records{id}}}`, {
        as: 'A',
      })
      expect(messagesOf(other)).toHaveLength(1)
      const { rows } = await world.db.query(`select from account where name = 'forged'`)
      expect(rows).toEqual([])
    },
  },
  {
    id: 'RL-11',
    what: 'a node id of a hidden row, of another schema, of another table',
    play: async (world) => {
      const id = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64')
      for (const nodeId of [id('public', 'account', 3), id('public', 'account', 99_999)]) {
        const answer = await world.graphql(`{node(nodeId:"${nodeId}"){... on account{id owner}}}`, { as: 'A' })
        expect(graphqlBody(answer).data).toEqual({ node: null })
      }
      for (const nodeId of [
        id('storage', 'objects', 'x'),
        id('stowage', 'intents', 'x'),
        id('pg_catalog', 'pg_authid', 10),
        id('auth', 'users', 1),
        id('public', 'none', 1),
        id('public', 'account'),
        id('public', 'account', 1, 2),
        id('public', 'account', "1'; drop table account; --"),
        id('public', 'account', null),
        id('public', 'account', {}),
        id('public', 'account', [1]),
        id('public'),
        id(),
        id(1, 2, 3),
        'x',
        '',
        '====',
        Buffer.from('{}').toString('base64'),
        Buffer.from('["public","account",1e400]').toString('base64'),
        Buffer.from(`["public","account",${'['.repeat(10_000)}`).toString('base64'),
        Buffer.from('["public","account","\\u0000"]').toString('base64'),
        Buffer.from([0xff, 0xfe]).toString('base64'),
      ]) {
        const answer = await world.graphql(`{node(nodeId:${JSON.stringify(nodeId)}){nodeId ... on account{id}}}`, { as: 'A' })
        expect(answer.status, nodeId).toBe(200)
        expect(graphqlBody(answer).data ?? null, nodeId).toBeOneOf([null, { node: null }])
      }
      const other = await world.graphql(`{node(nodeId:"${id('public', 'account', 1)}"){... on note{id}}}`, { as: 'A' })
      expect(other.body.toString()).not.toContain('of A')
    },
  },
  {
    id: 'RL-13',
    what: 'a function with the rights of its owner is there for whom it was granted, and for nobody else',
    play: async (world) => {
      for (const as of ['anon', 'A', 'service'] as const) {
        const answer = await world.graphql('mutation{secret_of_the_owner}', { as })
        expect(messagesOf(answer).join(), as).toMatch(/Unknown field/)
      }
      await world.db.query('grant execute on function secret_of_the_owner() to authenticated')
      expect(messagesOf(await world.graphql('mutation{secret_of_the_owner}')).join()).toMatch(/Unknown field/)
      expect(graphqlBody(await world.graphql('mutation{secret_of_the_owner}', { as: 'A' })).data).toHaveProperty('secret_of_the_owner')
      await world.db.query('revoke execute on function secret_of_the_owner() from authenticated')
      expect(messagesOf(await world.graphql('mutation{secret_of_the_owner}', { as: 'A' })).join()).toMatch(/Unknown field/)
    },
  },
  {
    id: 'RL-14',
    what: 'a cheap function that tells what it sees, in a filter: it sees visible rows alone',
    play: async (world) => {
      await world.db.query(`
        create table seen (owner text);
        grant insert on seen to public;
        create function tell(a account) returns text language plpgsql volatile cost 0.0000001 as $$
        begin
          insert into seen values (a.owner);
          return a.owner;
        end $$;
        create view told with (security_invoker = true) as select a.id, tell(a) as owner from account a where tell(a) <> '';
        comment on view told is '@graphql({"primary_key_columns": ["id"]})';
        grant select on told to authenticated`)
      const answer = await world.graphql('{toldCollection{edges{node{id owner}}}}', { as: 'A' })
      expect(JSON.stringify(graphqlBody(answer))).not.toContain(USER_B)
      // read-only queries cannot write what they saw; then the function's own words are the leak
      const { rows } = await world.db.query('select owner from seen where owner = $1', [USER_B])
      expect(rows).toEqual([])
      await world.db.query('drop view told; drop function tell; drop table seen')
    },
  },
  {
    id: 'RL-18',
    what: 'headers that policies can read: the sender decides them, and credentials are not among them',
    play: async (world) => {
      await world.db.query(`
        create table heard (text text);
        grant insert on heard to public;
        create function hear() returns boolean language plpgsql volatile security definer as $$
        begin
          insert into heard select concat(current_setting('request.headers', true), '|', current_setting('request.path', true), '|', current_setting('request.method', true));
          return true;
        end $$;
        create policy listens on storage.objects for insert to authenticated with check (bucket_id <> 'hears' or hear())`)
      try {
        await world.ask('POST', '/bucket', { as: 'service', body: { name: 'hears' } })
        await world.ask('POST', '/object/hears/x?authorization=Bearer%20secret-of-the-query', {
          headers: [
            ['X-Trusted', 'yes'],
            ['Cookie', 'session=1'],
            ['apikey', 'key'],
            ['Proxy-Authorization', 'p'],
          ],
          body: 'x',
        })
        // what was asked first is rolled back: ask inside a transaction that stays
        await world.ask('POST', '/object/move', { body: { bucketId: 'priv', sourceKey: 'none', destinationKey: 'y' } })
        const { rows } = await world.db.query<{ text: string }>('select text from heard')
        for (const { text } of rows) {
          expect(text).not.toMatch(/Bearer|session=1|secret-of-the-query|"key"/)
          expect(text).toContain('"x-trusted":"yes"')
        }
      } finally {
        await world.db.query('drop policy listens on storage.objects; drop function hear; drop table heard')
      }
    },
  },
  {
    id: 'RL-19',
    what: 'callers have neither TRUNCATE nor REFERENCES nor TRIGGER, and nothing of the ledger',
    play: async (world) => {
      const { rows } = await world.db.query(`
        select r.role, c.oid::regclass::text as relation, p.privilege
          from (values ('anon'), ('authenticated')) r (role)
          cross join pg_class c
          cross join (values ('TRUNCATE'), ('REFERENCES'), ('TRIGGER')) p (privilege)
         where c.relkind = 'r'
           and c.relnamespace in ('storage'::regnamespace, 'stowage'::regnamespace, 'stowage_graphql'::regnamespace)
           and has_table_privilege(r.role, c.oid, p.privilege)`)
      expect(rows).toEqual([])
      const ledger = await world.db.query(`
        select c.oid::regclass::text as relation
          from pg_class c
         where c.relkind = 'r'
           and c.relnamespace = 'stowage'::regnamespace
           and (has_any_column_privilege('anon', c.oid, 'select, insert, update') or has_any_column_privilege('authenticated', c.oid, 'select, insert, update'))`)
      expect(ledger.rows).toEqual([])
      const open = await world.db.query(
        `select relname from pg_class where relnamespace = 'storage'::regnamespace and relkind = 'r' and not relrowsecurity`,
      )
      expect(open.rows).toEqual([])
    },
  },
  {
    id: 'RL-20',
    what: 'a function that a signed-in user calls cannot become the service',
    play: async (world) => {
      for (const as of ['anon', 'A'] as const) {
        const answer = await world.graphql('mutation{become_service}', { as })
        expect(graphqlBody(answer).data).toBeNull()
        expect(messagesOf(answer).join()).toMatch(/permission denied to set role/)
      }
      const after = await world.graphql('{accountCollection{edges{node{id}}}}')
      expect(graphqlBody(after).data).toEqual({ accountCollection: { edges: [] } })
    },
  },
  {
    id: 'RL-22',
    what: 'a table of the user that is called like one of ours',
    play: async (world) => {
      const answer = await world.graphql('{objectsCollection{edges{node{name}}}}')
      expect(graphqlBody(answer).data).toEqual({ objectsCollection: { edges: [{ node: { name: 'the twin' } }] } })
      expect((await world.ask('GET', '/object/authenticated/priv/a.txt')).body.toString()).toBe('the text of A')
    },
  },
  {
    id: 'RL-101',
    what: 'a signed-in user lies about himself in claims that policies might read',
    play: async (world) => {
      const token = world.sign({
        role: 'authenticated',
        sub: USER_B,
        user_id: USER_A,
        'request.jwt.claim.sub': USER_A,
        email: 'a@x',
        exp: Math.floor(Date.now() / 1000) + 60,
      })
      expect(await people(world, { token })).toEqual([{ id: 3, owner: USER_B }])
    },
  },
]

const oneByOne = async (world: World, rounds: number): Promise<void> => {
  const seen = async (ask: Ask): Promise<string> => (await people(world, ask)).map(({ id }) => id).join()
  const listed = async (ask: Ask): Promise<Answer> =>
    world.ask('POST', '/object/list/priv', { ...ask, body: { prefix: '', search: 'a.txt' } })
  for (let round = 0; round < rounds; round++) {
    expect(await seen({ as: 'A' })).toBe('1,2')
    expect((jsonOf(await listed({ as: 'A' })) as unknown[]).length).toBe(1)
    expect(await seen({ as: 'anon' })).toBe('')
    expect(jsonOf(await listed({ as: 'anon' }))).toEqual([])
    expect(await seen({ as: 'B' })).toBe('3')
    expect(jsonOf(await listed({ as: 'B' }))).toEqual([])
    expect((await world.ask('GET', '/object/public/pub/none', { as: null })).status).toBe(400)
    expect((await world.ask('GET', '/object/priv/a.txt', { as: null })).status).toBe(400)
  }
}

/** With one connection for all callers and one for the service: everybody gets what everybody before has used. */
export const ONE_CONNECTION: readonly Attack[] = [
  { id: 'RL-02', what: 'A, anonymous and B by turns, files and GraphQL', play: (world) => oneByOne(world, 50) },
  { id: 'RL-02', what: 'the same a thousand times', long: true, play: (world) => oneByOne(world, 1_000) },
  {
    id: 'RL-05',
    what: 'the service, then somebody else',
    play: async (world) => {
      for (let round = 0; round < 20; round++) {
        expect((await people(world, { as: 'service' })).length).toBe(3)
        expect(await people(world, { as: 'anon' })).toEqual([])
        expect((await world.ask('DELETE', '/object/priv/none', { as: 'service' })).status).toBe(400)
        expect(storageError(await world.ask('GET', '/object/authenticated/priv/a.txt', { as: 'anon' }))?.statusCode).toBe('404')
      }
    },
  },
  {
    id: 'RL-17',
    what: 'one document, A and B by turns and at once, prepared',
    play: async (world) => {
      const query = '{accountCollection{edges{node{id owner noteCollection{edges{node{id}}}}}}}'
      const expected = { A: [USER_A, USER_A], B: [USER_B] }
      for (let round = 0; round < 100; round++) {
        const asked = (['A', 'B', 'A', 'B'] as const).map(async (as) => {
          const { accountCollection } = graphqlBody(await world.graphql(query, { as })).data as {
            accountCollection: { edges: { node: { owner: string } }[] }
          }
          expect(accountCollection.edges.map(({ node }) => node.owner)).toEqual(expected[as])
        })
        await Promise.all(asked)
      }
    },
  },
  {
    id: 'RL-103',
    what: "a table that a caller's SQL left in the session stands for nobody's",
    play: async (world) => {
      await world.db.query(`
        create function run_anything(statement text) returns text language plpgsql volatile as $$ begin execute statement; return 'done'; end $$;
        create function how_many_accounts() returns int language plpgsql volatile as $$ begin return (select count(*) from account); end $$`)
      const run = async (as: Who, statement: string) =>
        graphqlBody(await world.graphql(`mutation{run_anything(statement:${JSON.stringify(statement)})}`, { as })).data
      try {
        expect(await run('A', 'create temp table account as select 1 as id from generate_series(1, 77)')).toEqual({ run_anything: 'done' })
        const { data } = graphqlBody(await world.graphql('mutation{how_many_accounts}', { as: 'B' }))
        expect(data).toEqual({ how_many_accounts: 1 })
        expect(await run('A', 'drop table pg_temp.account')).toEqual({ run_anything: 'done' })
      } finally {
        await world.db.query('drop function run_anything, how_many_accounts')
      }
    },
  },
  {
    id: 'RL-102',
    what: 'errors in between, of every kind, leave nothing behind on the connection',
    play: async (world) => {
      for (const spoil of [
        () => world.graphql('{dividesCollection{edges{node{id}}}}', { as: 'A' }),
        () => world.graphql('mutation{become_service}', { as: 'A' }),
        () => world.graphql('mutation{insertIntobalancedCollection(objects:[{id:7,amount:1}]){affectedCount}}', { as: 'A' }),
        () => world.graphql('mutation{wait(seconds:30)}', { as: 'A', options: { patience: 15_000 } }),
        () => world.ask('PUT', '/object/divides/x', { body: 'x' }),
        () => world.graphql('{sampleCollection(filter:{aText:{eq:"\\ud800"}}){edges{node{id}}}}', { as: 'A' }),
      ]) {
        await spoil()
        await oneByOne(world, 1)
      }
    },
  },
]
