import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect } from 'vitest'
import { loginPassword } from '../../../src/auth/login-password.ts'
import { type Attack, each, shown } from '../attack.ts'
import { graphqlBody, messagesOf } from '../outcome.ts'
import { request } from '../raw.ts'
import type { World } from '../world.ts'

const PROBES = [
  "x'; drop table storage.objects;--",
  'x" or 1=1',
  '$$;select 1$$',
  "\\'",
  "\\'; drop table account; --",
  '/* x */',
  '*/ select 1 /*',
  '-- ',
  '; select pg_sleep(10)',
  "' union select rolpassword from pg_authid--",
  "') returning *;--",
  "'||(select current_user)||'",
  '\\u0027 or 1=1',
  '%27%20or%201=1',
  '\u02bc or 1=1',
  '\uff07 or 1=1',
  '{}',
  '$1',
  '$1::int',
  ':name',
  '%s%n%x',
  "1; copy account to program 'id'",
  "E'\\x27'",
  "U&'\\0027'",
  'null',
  "'::text::regclass",
  '`id`',
  '${process.env.JWT_SECRET}',
  '{{7*7}}',
  '<%= 7*7 %>',
] as const

/** What must be as before, whatever was asked. */
async function counts(world: World): Promise<unknown> {
  const { rows } = await world.db.query(`
    select (select count(*) from account) as accounts, (select count(*) from sample) as samples, (select count(*) from storage.objects) as objects,
      (select count(*) from storage.buckets) as buckets, (select count(*) from pg_class where relnamespace in ('public'::regnamespace, 'storage'::regnamespace)) as relations`)
  return rows[0]
}

const asWeb = async (world: World, role: string, work: (client: pg.Client) => Promise<void>): Promise<void> => {
  const url = new URL(world.service.keys.databaseUrl)
  url.username = 'stowage_web'
  url.password = loginPassword(world.service.keys.jwtSecret, 'stowage_web')
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    await client.query(`set role ${role}`)
    await work(client)
  } finally {
    await client.end()
  }
}

/** The service's connections to the database end, and it has noticed. */
async function endConnections(world: World): Promise<void> {
  await world.db.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where usename in ('stowage_web', 'stowage_service')`)
  await sleep(200)
}

export const INJECTION: readonly Attack[] = [
  ...each(PROBES, (probe) => ({
    id: 'SQ-01',
    what: `${shown(probe)} in every place of the storage API`,
    play: async (world) => {
      const before = await counts(world)
      const began = performance.now()
      const escaped = encodeURIComponent(probe)
      const asked: (readonly [string, string, object | string])[] = [
        ['GET', `/bucket/${escaped}`, ''],
        ['GET', `/bucket?search=${escaped}`, ''],
        ['GET', `/bucket?sortColumn=${escaped}`, ''],
        ['DELETE', `/bucket/${escaped}`, ''],
        ['GET', `/object/authenticated/${escaped}/x`, ''],
        ['GET', `/object/authenticated/priv/${escaped}`, ''],
        ['GET', `/object/info/authenticated/priv/${escaped}`, ''],
        ['DELETE', `/object/priv/${escaped}`, ''],
        ['DELETE', '/object/priv', { prefixes: [probe, `a.txt${probe}`] }],
        ['POST', '/object/list/priv', { prefix: probe }],
        ['POST', '/object/list/priv', { prefix: '', search: probe }],
        ['POST', '/object/list/priv', { prefix: '', sortBy: { column: probe, order: probe } }],
        ['POST', `/object/list/${escaped}`, { prefix: '' }],
        ['POST', '/object/list-v2/priv', { prefix: probe, with_delimiter: true }],
        ['POST', '/object/list-v2/priv', { cursor: probe }],
        ['POST', '/object/list-v2/priv', { cursor: Buffer.from(probe).toString('base64') }],
        ['POST', '/object/move', { bucketId: 'priv', sourceKey: probe, destinationKey: 'x' }],
        ['POST', '/object/move', { bucketId: probe, sourceKey: 'x', destinationKey: 'y' }],
        ['POST', '/object/copy', { bucketId: 'priv', sourceKey: 'none', destinationBucket: probe, destinationKey: 'x' }],
        ['POST', '/object/sign/priv', { expiresIn: 60, paths: [probe] }],
        ['POST', `/object/sign/priv/${escaped}`, { expiresIn: 60 }],
      ]
      for (const [method, target, body] of asked) {
        const answer = await world.ask(method, target, { body })
        expect(answer.status, `${method} ${target} ${answer.body}`).toBeOneOf([200, 400, 404])
      }
      expect(performance.now() - began).toBeLessThan(8_000)
      expect(await counts(world)).toEqual(before)
    },
  })),
  ...each(PROBES, (probe) => ({
    id: 'SQ-02',
    what: `${shown(probe)} in filters, order and cursors, as literal and as variable`,
    play: async (world) => {
      const before = await counts(world)
      const literal = JSON.stringify(probe)
      const questions: (readonly [string, object?])[] = [
        ['{sampleCollection(filter:{a_text:{eq:$v}}){edges{node{id}}}}'],
        ['{sampleCollection(filter:{a_text:{like:$v}}){edges{node{id}}}}'],
        ['{sampleCollection(filter:{a_text:{iregex:$v}}){edges{node{id}}}}'],
        ['{sampleCollection(filter:{a_text:{in:[$v,$v]}}){edges{node{id}}}}'],
        ['{sampleCollection(after:$v){edges{node{id}}}}'],
        ['{node(nodeId:$v){nodeId}}'],
        ['mutation{updatesampleCollection(set:{a_text:"x"},filter:{a_text:{eq:$v}}){affectedCount}}'],
        ['mutation{deleteFromsampleCollection(filter:{a_text:{eq:$v}}){affectedCount}}'],
        ['{__type(name:$v){name}}'],
      ]
      for (const [question] of questions) {
        const asLiteral = await world.graphql(question.replaceAll('$v', literal))
        expect(asLiteral.status, question).toBe(200)
        const declared = question.startsWith('mutation')
          ? question.replace('mutation', 'mutation($v:String!)')
          : `query($v:${question.includes('after') ? 'Cursor' : question.includes('nodeId') ? 'ID!' : 'String!'})${question}`
        const asVariable = await world.graphql(declared, { variables: { v: probe } })
        expect(asVariable.status, declared).toBe(200)
        for (const answer of [asLiteral, asVariable])
          expect(JSON.stringify(graphqlBody(answer).data ?? null)).not.toMatch(/stowage_web|SCRAM|rolpassword/)
      }
      for (const place of [
        `{sampleCollection(orderBy:[{${probe}:AscNullsFirst}]){edges{node{id}}}}`,
        `{sampleCollection(filter:{${probe}:{eq:1}}){edges{node{id}}}}`,
        `{${probe}}`,
        `{sampleCollection{edges{node{x:${probe}}}}}`,
      ]) {
        const answer = await world.graphql(place)
        expect([answer.status, messagesOf(answer).length > 0], place).toEqual([200, true])
      }
      const enumerated = await world.graphql('query($o:[sampleOrderBy!]){sampleCollection(orderBy:$o){edges{node{id}}}}', {
        variables: { o: [{ id: probe }] },
      })
      expect(messagesOf(enumerated).length).toBeGreaterThan(0)
      const named = await world.graphql('query($f:sampleFilter){sampleCollection(filter:$f){edges{node{id}}}}', {
        variables: { f: { [probe]: { eq: 1 } } },
      })
      expect(messagesOf(named).length).toBeGreaterThan(0)
      expect(await counts(world)).toEqual(before)
    },
  })),
  {
    id: 'SQ-02',
    what: 'probes as data come back as they went in',
    play: async (world) => {
      for (const probe of PROBES) {
        const answer = await world.graphql(
          'mutation($t:String!){insertIntosampleCollection(objects:[{a_text:$t,a_json:"[1]"}]){records{a_text}}}',
          { variables: { t: probe } },
        )
        expect(graphqlBody(answer).data, answer.body.toString()).toEqual({ insertIntosampleCollection: { records: [{ a_text: probe }] } })
        const key = JSON.stringify({ [probe]: probe })
        const json = await world.graphql('mutation($t:JSON!){insertIntosampleCollection(objects:[{a_jsonb:$t}]){records{a_jsonb}}}', {
          variables: { t: key },
        })
        expect(json.status).toBe(200)
        const aliased = await world.graphql(`{a${probe.replace(/[^\w]/g, '_')}:sampleCollection(first:1){edges{node{id}}}}`)
        expect(graphqlBody(aliased).data).toBeTruthy()
      }
      await world.db.query('delete from sample where id > 1')
    },
  },
  {
    id: 'SQ-04',
    what: 'tables, columns, labels and functions whose names look like SQL',
    play: async (world) => {
      const odd = await world.graphql('{odd_columnsCollection{edges{node{apostrophe quote dollars backslash select}}}}')
      expect(graphqlBody(odd).data).toEqual({
        odd_columnsCollection: {
          edges: [{ node: { apostrophe: 'apostrophe', quote: 'quote', dollars: 'dollars', backslash: 'backslash', select: 'word' } }],
        },
      })
      const filtered = await world.graphql(
        '{odd_columnsCollection(filter:{apostrophe:{eq:"x\'"}},orderBy:[{quote:AscNullsLast}]){edges{cursor node{id}}}}',
      )
      expect(messagesOf(filtered)).toEqual([])
      const changed = await world.graphql(
        'mutation{updateodd_columnsCollection(set:{apostrophe:"apostrophe",dollars:"dollars"},filter:{quote:{eq:"quote"}}){affectedCount}}',
      )
      expect(graphqlBody(changed).data).toEqual({ updateodd_columnsCollection: { affectedCount: 1 } })
      const types = await world.graphql('{__schema{types{name fields{name args{name}} inputFields{name}}}}')
      expect(messagesOf(types)).toEqual([])
      expect(types.body.toString()).not.toMatch(/"name":"[^"]*[^\w"][^"]*"/)
    },
  },
  {
    id: 'SQ-04',
    what: 'labels of an enum that look like SQL',
    note: 'recorded: labels that are no GraphQL names are shown as they are; a comment directive gives them names',
    play: async (world) => {
      await world.db.query(`
        create type odd as enum ('plain', 'with ''quote', e'new\\nline', 'back\\slash', '"', '$$');
        create table with_enum (id int primary key, odd odd, odds odd[]);
        insert into with_enum select row_number() over (), label, array[label] from unnest(enum_range(null::odd)) label`)
      try {
        const answer = await world.graphql('{with_enumCollection{edges{node{id odd odds}}}}')
        const { with_enumCollection } = graphqlBody(answer).data as { with_enumCollection: { edges: { node: { odd: string } }[] } }
        expect(with_enumCollection.edges.map(({ node }) => node.odd)).toEqual([
          'plain',
          "with 'quote",
          'new\nline',
          'back\\slash',
          '"',
          '$$',
        ])
        for (const value of ['plain', "with 'quote", "plain'; drop table with_enum; --", '"', 5, null, ['plain']]) {
          const filtered = await world.graphql('query($v:oddEnum){with_enumCollection(filter:{odd:{eq:$v}}){edges{node{id}}}}', {
            variables: { v: value },
          })
          expect(filtered.status).toBe(200)
          const written = await world.graphql(
            'mutation($v:oddEnum){updatewith_enumCollection(set:{odd:$v},filter:{id:{eq:1}}){affectedCount}}',
            { variables: { v: value } },
          )
          expect(written.status).toBe(200)
        }
        expect(messagesOf(await world.graphql('{__type(name:"odd"){enumValues{name}}}'))).toEqual([])
      } finally {
        await world.db.query('drop table with_enum; drop type odd')
      }
    },
  },
  ...each(
    [
      '{"name":"x) {a} from pg_shadow --"}',
      '{"name":1}',
      '{"name":',
      '{"name":"__x"}',
      '{"name":""}',
      '[]',
      '"x"',
      '{"inflect_names":"yes"}',
      '{"primary_key_columns":"id; drop table account"}',
      '{"primary_key_columns":[1]}',
      '{"foreign_keys":[{"local_columns":["id"],"foreign_schema":"pg_catalog","foreign_table":"pg_authid","foreign_columns":["oid"]}]}',
      '{"foreign_keys":{}}',
      '{"totalCount":1}',
      '{"max_rows":-1}',
      '{"max_rows":1e400}',
      '{"__proto__":{"name":"x"}}',
      `{"name":"${'x'.repeat(1_000_000)}"}`,
      '{"mappings":{"a":1}}',
    ],
    (directive, what) => ({
      id: 'SQ-05',
      what: `the comment directive ${what}`,
      play: async (world) => {
        await world.db.query('create table commented (id int primary key)')
        await world.db.query(`comment on table commented is ${pg.escapeLiteral(`@graphql(${directive})`)}`)
        try {
          const answer = await world.graphql('{__typename}')
          expect(answer.status).toBe(200)
          const messages = messagesOf(answer)
          if (messages.length > 0) {
            expect(messages).toHaveLength(1)
            expect(messages[0]?.length).toBeLessThan(2_000)
          }
          const other = await world.graphql('{objectsCollection{edges{node{name}}}}')
          expect(other.status).toBe(200)
          expect(other.body.toString()).not.toMatch(/SCRAM|md5[0-9a-f]{32}/)
        } finally {
          await world.db.query('drop table commented')
        }
        expect(messagesOf(await world.graphql('{objectsCollection{edges{node{name}}}}'))).toEqual([])
      },
    }),
  ),
  {
    id: 'SQ-07',
    what: 'a search path of the roles that leads astray',
    play: async (world) => {
      await world.db.query(`
        create schema astray;
        create function astray.lower(text) returns text language plpgsql as $$ begin raise exception 'astray'; end $$;
        create table astray.account (id int);
        create table astray.objects (id int);
        grant usage on schema astray to public;
        do $$ begin
          for i in 1..4 loop
            execute format('alter role %I set search_path = astray, public', (array['stowage_web', 'stowage_service', 'anon', 'authenticated'])[i]);
          end loop;
          execute format('alter database %I set search_path = astray, public', current_database());
        end $$`)
      try {
        await endConnections(world)
        await expect.poll(async () => (await world.ask('GET', '/bucket')).status).toBe(200)
        const answer = await world.graphql('{accountCollection{edges{node{id}}}}', { as: 'A' })
        expect(graphqlBody(answer).data).toEqual({ accountCollection: { edges: [{ node: { id: 1 } }, { node: { id: 2 } }] } })
        expect((await world.ask('GET', '/object/authenticated/priv/a.txt')).body.toString()).toBe('the text of A')
        expect((await world.ask('POST', '/object/list/priv', { body: { prefix: '', search: 'A' } })).status).toBe(200)
      } finally {
        await world.db.query(`
          drop schema astray cascade;
          do $$ begin
            for i in 1..4 loop
              execute format('alter role %I reset search_path', (array['stowage_web', 'stowage_service', 'anon', 'authenticated'])[i]);
            end loop;
            execute format('alter database %I reset search_path', current_database());
          end $$`)
      }
    },
    mayAnswer: [503],
  },
  {
    id: 'SQ-08',
    what: 'settings of the database and the logins that change texts and quoting',
    play: async (world) => {
      const odd = {
        standard_conforming_strings: 'off',
        DateStyle: "'German'",
        IntervalStyle: "'sql_standard'",
        bytea_output: "'escape'",
        extra_float_digits: '-15',
        client_encoding: "'SJIS'",
        TimeZone: "'Asia/Kathmandu'",
        xmloption: "'document'",
        backslash_quote: "'on'",
        escape_string_warning: "'off'",
      }
      const question = '{sampleCollection{edges{node{id a_float a_date a_timestamptz bytes a_text}}}}'
      await world.db.query(
        `insert into sample (id, a_float, a_date, a_timestamptz, bytes, a_text) values (50, 0.1::float8 + 0.2, '2020-02-03', '2020-02-03 04:05:06.789+00', '\\x00ff', 'it''s \\ "quoted"')`,
      )
      const before = await world.graphql(question)
      const change = async (verb: string) => {
        for (const target of [
          'role stowage_web',
          'role stowage_service',
          `database ${pg.escapeIdentifier((await world.db.query('select current_database() as name')).rows[0].name)}`,
        ])
          for (const [name, value] of Object.entries(odd))
            await world.db.query(verb === 'set' ? `alter ${target} set ${name} = ${value}` : `alter ${target} reset ${name}`)
        await endConnections(world)
        await expect.poll(async () => (await world.ask('GET', '/bucket')).status).toBe(200)
      }
      await change('set')
      try {
        const after = await world.graphql(question)
        const times = /"a_timestamptz":"[^"]+"/g
        expect(after.body.toString().replace(times, '')).toBe(before.body.toString().replace(times, ''))
        const probe = await world.graphql('{sampleCollection(filter:{a_text:{eq:"it\'s \\\\ \\"quoted\\""}}){edges{node{id}}}}')
        expect(graphqlBody(probe).data).toEqual({ sampleCollection: { edges: [{ node: { id: 50 } }] } })
        expect(
          (
            await world.ask('POST', '/object/priv/sq-08', {
              headers: [
                ['x-upsert', 'true'],
                ['x-metadata', Buffer.from('{"a":"\u00e9\\\\"}').toString('base64')],
              ],
              body: 'x',
            })
          ).status,
        ).toBe(200)
        const info = JSON.parse((await world.ask('GET', '/object/info/authenticated/priv/sq-08')).body.toString()) as {
          metadata: unknown
          last_modified: string
        }
        expect(info.metadata).toEqual({ a: '\u00e9\\' })
        expect(info.last_modified).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      } finally {
        await change('reset')
        await world.db.query('delete from sample where id = 50')
      }
    },
    mayAnswer: [503],
  },
  ...each(['x\\"y', "'; reset role; --", 'x'.repeat(7_000), '\u00ff\u00fe', '${jndi:ldap://x}', '%00', '\t'], (value, what) => ({
    id: 'SQ-10',
    what: `a header that policies can read: ${what}`,
    send: ({ tokens }) =>
      request('GET', `/object/authenticated/priv/a.txt?x=${encodeURIComponent(value.slice(0, 1_000))}`, [
        ['Authorization', `Bearer ${tokens.A}`],
        ['X-Anything', value],
        [`X-${'y'.repeat(100)}`, value],
      ]),
    outcome: { says: '200', fits: ({ answers: [answer] }) => answer?.body.toString() === 'the text of A' },
  })),
  {
    id: 'SQ-10',
    what: 'NUL in the address and in a header',
    play: async (world) => {
      for (const head of [
        `GET /object/authenticated/priv/a.txt?x=%00 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.tokens.A}\r\nConnection: close\r\n\r\n`,
      ])
        expect((await world.send(head)).answers[0]?.status).toBeOneOf([200, 400])
      const raw = await world.send(
        `GET /object/authenticated/priv/a.txt HTTP/1.1\r\nHost: x\r\nX: a\0b\r\nAuthorization: Bearer ${world.tokens.A}\r\nConnection: close\r\n\r\n`,
      )
      expect(raw.answers[0]?.status).toBe(400)
    },
  },
  {
    id: 'SQ-11',
    what: 'suppose an injection had worked: what the callers’ login may do as authenticated',
    play: async (world) => {
      const attempts = [
        'set role service_role',
        'set role postgres',
        'set role stowage_service',
        'set session authorization postgres',
        'set session authorization stowage_service',
        "select set_config('role', 'service_role', false)",
        "copy (select 1) to program 'id'",
        "copy account from '/etc/passwd'",
        "copy account to '/tmp/x'",
        "select pg_read_file('/etc/passwd')",
        "select pg_ls_dir('.')",
        "select lo_import('/etc/passwd')",
        "select lo_export(1, '/tmp/x')",
        'create extension dblink',
        'create extension plpython3u',
        'create role evil superuser',
        'alter role stowage_web superuser',
        'alter role authenticated bypassrls',
        'grant service_role to authenticated',
        'truncate storage.objects',
        'truncate account',
        'alter table storage.objects disable row level security',
        'drop policy "own objects" on storage.objects',
        'create policy x on storage.objects using (true)',
        'drop table storage.objects',
        'select version from stowage.versions',
        'delete from stowage.outbox',
        "insert into stowage.outbox (version, reason) select version, 'deleted' from stowage.versions",
        'select * from pg_authid',
        'select pg_reload_conf()',
        "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'stowage_service'",
        'alter system set fsync = off',
        'set session_replication_role = replica',
        'create function storage.evil() returns int language sql as $$ select 1 $$',
        'create schema evil',
        'alter function storage.search(text, text, int, int, int, text, text, text) owner to authenticated',
        'create event trigger x on ddl_command_start execute function raise()',
        'delete from stowage_graphql.schema_version',
        'insert into stowage_graphql.schema_version values (1)',
        'update stowage_graphql.schema_version set id = 0',
      ]
      for (const role of ['authenticated', 'anon']) {
        await asWeb(world, role, async (client) => {
          for (const attempt of attempts) {
            const outcome = await client.query(attempt).then(
              () => 'done',
              (error: Error) => error.message,
            )
            expect(outcome, `${role}: ${attempt}`).not.toBe('done')
            await client.query(`reset role; set role ${role}`)
          }
          const { rows } = await client.query('select current_user as name, (select count(*)::int from storage.objects) as objects')
          expect(rows[0]).toEqual({ name: role, objects: 0 })
        })
      }
    },
  },
  {
    id: 'SQ-11',
    what: 'a deletion by hand of objects is refused to callers, and of others’ rows to everybody',
    play: async (world) => {
      await asWeb(world, 'authenticated', async (client) => {
        await client.query(`select set_config('request.jwt.claims', '{"sub":"aaaaaaaa-0000-4000-8000-000000000001"}', false)`)
        await expect(client.query('delete from storage.objects')).rejects.toThrow()
        const { rowCount } = await client.query(
          `update storage.objects set owner_id = 'x' where owner_id <> 'aaaaaaaa-0000-4000-8000-000000000001'`,
        )
        expect(rowCount).toBe(0)
      })
    },
  },
]
