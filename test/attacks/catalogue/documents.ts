import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, validateSchema } from 'graphql'
import { expect } from 'vitest'
import { crowd } from '../../support/crowd.ts'
import { type Attack, each } from '../attack.ts'
import { either, graphqlBody, graphqlData, graphqlError, messagesOf, type Outcome, status } from '../outcome.ts'
import { jsonOf, type Payload, request } from '../raw.ts'
import { USER_A, type World } from '../world.ts'

type Header = readonly [name: string, value: string]

const post =
  (body: Payload, type = 'application/json', more: readonly Header[] = [], target = '/graphql/v1') =>
  (world: World) =>
    request('POST', target, [['apiKey', world.tokens.anon], ['Content-Type', type], ...more], body)

const ask = (query: unknown, variables?: unknown, operationName?: unknown) => post(JSON.stringify({ query, variables, operationName }))

/** The body's text, for numbers that JavaScript would change. */
const raw = (query: string, variables: string) => post(`{"query":${JSON.stringify(query)},"variables":${variables}}`)

const MALFORMED = status(400)
const ERROR = graphqlError()
const DATA = graphqlData()

const nested = (depth: number): string => `{${'a{'.repeat(depth)}c${'}'.repeat(depth)}}`

/** A relation of every row to all of its kind, `depth` times over. */
const cycle = (depth: number): string => {
  let inner = 'id'
  for (let i = 0; i < depth; i++) inner = `parent{accountCollection(first:30){edges{node{${inner}}}}}`
  return `{accountCollection(first:30){edges{node{${inner}}}}}`
}

const DEEP = 10_000

export const DOCUMENTS: readonly Attack[] = [
  ...each<readonly [string, Outcome]>(
    [
      ['{"query":""}', ERROR],
      ['{}', MALFORMED],
      ['{"query":null}', MALFORMED],
      ['{"query":5}', MALFORMED],
      ['{"query":["{__typename}"]}', MALFORMED],
      ['{"query":{"x":1}}', MALFORMED],
      ['{"query":true}', MALFORMED],
      ['{"query":" "}', ERROR],
      ['{"query":"#"}', ERROR],
      ['{"query":"\\u0000"}', ERROR],
      ['{"query":"\\ud800"}', ERROR],
      ['{"query":"{"}', ERROR],
      ['{"query":"}"}', ERROR],
      ['{"query":"{}"}', ERROR],
      ['{"query":"query"}', ERROR],
      ['{"query":"{__typename}}"}', ERROR],
      ['{"query":"type Query{a:Int}"}', ERROR],
      ['{"query":"{\\"\\"\\""}', ERROR],
      ['{"QUERY":"{__typename}"}', MALFORMED],
      ['{"query":"{a}","query":"{__typename}"}', DATA],
      ['{"__proto__":{"query":"{__typename}"}}', MALFORMED],
      ['{"query":"{__typename}","__proto__":1,"constructor":{"prototype":1}}', DATA],
    ],
    ([body, outcome]) => ({
      id: 'GQ-01',
      what: body,
      send: post(body),
      outcome,
      note: 'a body without a text for a query is malformed by GraphQL over HTTP',
    }),
  ),
  ...each<readonly [string, (world: World) => Buffer]>(
    [
      ['no JSON', post('query')],
      ['half of a JSON', post('{"query":"{__typename}"')],
      ['nothing', post('')],
      ['a byte order mark', post('\ufeff{"query":"{__typename}"}')],
      ['UTF-16', post(Buffer.from('{"query":"{__typename}"}', 'utf16le'))],
      ['UTF-16 that says so', post(Buffer.from('{"query":"{__typename}"}', 'utf16le'), 'application/json; charset=utf-16')],
      ['Latin-1 that says so', post('{"query":"{__typename}"}', 'application/json; charset=iso-8859-1')],
      ['bytes that are no UTF-8', post(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]))],
      ['an overlong encoding', post(Buffer.concat([Buffer.from('{"query":"{__typename}'), Buffer.from([0xc0, 0x80]), Buffer.from('"}')]))],
      ['application/graphql', post('{__typename}', 'application/graphql')],
      ['a form', post('query=%7B__typename%7D', 'application/x-www-form-urlencoded')],
      ['text/plain', post('{"query":"{__typename}"}', 'text/plain')],
      ['multipart', post('--x\r\n\r\n--x--', 'multipart/form-data; boundary=x')],
      ['a list', post('[{"query":"{__typename}"}]')],
      ['a text', post('"{__typename}"')],
      ['NaN', post('{"query":"{__typename}","variables":{"a":NaN}}')],
      ['a comment', post('{"query":"{__typename}"/* */}')],
      ['a trailing comma', post('{"query":"{__typename}",}')],
      ['single quotes', post("{'query':'{__typename}'}")],
      ['a control character in a text', post('{"query":"{__typename}\u0001"}')],
      ['100,000 brackets', post(`{"query":"{__typename}","variables":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)],
      ['500,000 brackets that are never closed', post('['.repeat(500_000))],
      ['gzip', post(Buffer.from([0x1f, 0x8b]), 'application/json', [['Content-Encoding', 'gzip']])],
    ],
    ([what, send]) => ({ id: 'GQ-02', what: `the body is ${what}`, send, outcome: status(400, 415) }),
  ),
  {
    id: 'GQ-02',
    what: 'no Content-Type',
    send: ({ tokens }) => request('POST', '/graphql/v1', [['apiKey', tokens.anon]], '{"query":"{__typename}"}'),
    outcome: status(400, 415),
  },
  {
    id: 'GQ-02',
    what: '1 MB and one byte',
    send: post(`{"query":"{__typename}","x":"${'x'.repeat(1_048_576)}"}`),
    outcome: status(413),
    options: { answers: 1 },
  },
  {
    id: 'GQ-02',
    what: '2 MB in chunks',
    send: ({ tokens }) =>
      request(
        'POST',
        '/graphql/v1',
        [
          ['apiKey', tokens.anon],
          ['Content-Type', 'application/json'],
          ['Transfer-Encoding', 'chunked'],
        ],
        `200000\r\n${' '.repeat(0x200000)}\r\n0\r\n\r\n`,
      ),
    outcome: status(413),
    options: { answers: 1 },
  },
  ...each(
    [
      'mutation{__typename}',
      'mutation{deleteFromsampleCollection(atMost:100){affectedCount}}',
      'query A{__typename}mutation B{deleteFromsampleCollection(atMost:100){affectedCount}}',
    ],
    (query) => ({
      id: 'GQ-03',
      what: `GET ${query}`,
      send: ({ tokens }) =>
        request('GET', `/graphql/v1?query=${encodeURIComponent(query)}${query.includes('B{') ? '&operationName=B' : ''}`, [
          ['apiKey', tokens.anon],
        ]),
      outcome: status(404, 405),
    }),
  ),
  ...each(
    [
      'query=',
      '',
      'query={__typename}&query={__typename}',
      'query[]={__typename}',
      'query={__typename}&variables=x',
      'query={__typename}&variables=[]',
      'query=%ff',
      'query=%00',
      `variables={"a":${'['.repeat(5_000)}`,
      '__proto__[query]={__typename}',
    ],
    (query, what) => ({
      id: 'GQ-03',
      what: `GET ?${what}`,
      send: ({ tokens }) =>
        request('GET', `/graphql/v1?${query.replaceAll('{', '%7B').replaceAll('}', '%7D').replaceAll('"', '%22')}`, [
          ['apiKey', tokens.anon],
        ]),
      outcome: either(status(400), ERROR),
    }),
  ),
  ...each(['PUT', 'DELETE', 'PATCH', 'HEAD'], (method) => ({
    id: 'GQ-03',
    what: method,
    send: ({ tokens }) => request(method, '/graphql/v1?query=%7B__typename%7D', [['apiKey', tokens.anon]]),
    outcome: status(404, 405),
    options: { bodiless: method === 'HEAD' },
  })),
  ...each<readonly [string, Outcome]>(
    [
      ['"variables":[]', MALFORMED],
      ['"variables":"x"', MALFORMED],
      ['"variables":5', MALFORMED],
      ['"operationName":5', MALFORMED],
      ['"operationName":{}', MALFORMED],
      ['"extensions":[]', MALFORMED],
      ['"variables":null', DATA],
      ['"operationName":null', DATA],
      ['"unknown":{"a":[1]}', DATA],
      ['"variables":{"unknown":1}', either(DATA, ERROR)],
    ],
    ([member, outcome]) => ({ id: 'GQ-05', what: member, send: post(`{"query":"{__typename}",${member}}`), outcome }),
  ),
  ...each<readonly [string, string | undefined, RegExp]>(
    [
      ['query A{__typename} query B{__typename}', undefined, /Operation not found/],
      ['{__typename} query B{__typename}', 'B', /Anonymous operations/],
      ['query A{__typename} query A{__typename}', 'A', /must be unique/],
      ['query A{__typename}', 'B', /Operation not found/],
      ['query A{__typename}', '', /Operation not found/],
      ['query A{__typename}', '__proto__', /Operation not found/],
      ['query A{__typename}', 'a'.repeat(100_000), /Operation not found/],
      ['query A{__typename}', '\0', /Operation not found/],
    ],
    ([query, name, words], what) => ({ id: 'GQ-07', what, send: ask(query, undefined, name), outcome: graphqlError(words) }),
  ),
  ...each<readonly [string, Outcome]>(
    [
      ['subscription{sampleCollection{edges{node{id}}}}', ERROR],
      ['{sampleCollection @defer{edges{node{id}}}}', ERROR],
      ['{sampleCollection{edges @stream(initialCount:1){node{id}}}}', ERROR],
      ['{sampleCollection @nonsense{edges{node{id}}}}', ERROR],
      ['{...@defer{sampleCollection{edges{node{id}}}}}', ERROR],
      ['{sampleCollection @skip{edges{node{id}}}}', ERROR],
      ['{sampleCollection @__proto__{edges{node{id}}}}', ERROR],
    ],
    ([query, outcome]) => ({ id: 'GQ-08', what: query, send: ask(query), outcome }),
  ),
  {
    id: 'GQ-08',
    what: 'no second way in: sockets, persisted questions, batches',
    play: async (world) => {
      const persisted = await world.ask('POST', '/graphql/v1', {
        as: null,
        headers: [['apiKey', world.tokens.anon]],
        body: { extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } },
      })
      expect(persisted.status).toBe(400)
      const socket = await world.send(
        request('GET', '/graphql/v1', [
          ['Connection', 'Upgrade'],
          ['Upgrade', 'websocket'],
          ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
          ['Sec-WebSocket-Version', '13'],
          ['Sec-WebSocket-Protocol', 'graphql-transport-ws'],
        ]),
        { answers: 1 },
      )
      expect(socket.answers[0]?.status).toBe(401)
      for (const path of ['/graphql', '/graphql/v1/', '/graphql/v2', '/graphql/v1/batch', '/rest/v1/rpc/graphql'])
        expect(
          (await world.ask('POST', path, { headers: [['apiKey', world.tokens.anon]], body: { query: '{__typename}' } })).status,
          path,
        ).toBe(404)
    },
  },
  {
    id: 'GQ-09',
    what: 'introspection while it is switched off, by every way',
    play: async (world) => {
      await world.db.query('comment on schema public is null')
      try {
        for (const query of [
          '{__schema{types{name}}}',
          '{__type(name:"account"){name}}',
          '{x:__schema{types{name}}}',
          '{...f} fragment f on Query{x:__type(name:"account"){fields{name}}}',
          '{...{__schema{queryType{name}}}}',
        ]) {
          const answer = await world.graphql(query)
          expect(messagesOf(answer).join(), query).toMatch(/Unknown field "__(?:schema|type)" on type Query/)
          expect(answer.body.toString()).not.toMatch(/did you mean/i)
        }
      } finally {
        await world.db.query(`comment on schema public is '@graphql({"introspection": true})'`)
      }
    },
  },
  {
    id: 'GQ-09',
    what: 'errors name nothing that was not asked for',
    play: async (world) => {
      for (const query of [
        '{acountCollection{edges{node{id}}}}',
        '{accountCollection{edges{node{ownr}}}}',
        '{accountCollection(filtr:{}){edges{node{id}}}}',
        '{sampleCollection(filter:{a_txt:{eq:"x"}}){edges{node{id}}}}',
      ]) {
        const message = messagesOf(await world.graphql(query)).join()
        expect(message).not.toMatch(/did you mean|owner|accountCollection\b.*\?|a_text/i)
      }
      await world.db.query('create table unseen (id int primary key, hidden_column text); revoke all on unseen from anon, authenticated')
      const schema = await world.graphql(getIntrospectionQuery())
      expect(schema.body.toString()).not.toMatch(/unseen|hidden_column/)
      expect(
        messagesOf(await world.graphql('{a:__type(name:"unseen"){name} ...f} fragment f on Query{b:__type(name:"unseenFilter"){name}}')),
      ).toEqual([])
      await world.db.query('drop table unseen')
    },
  },
  ...each([51, 1_000, 3_000, 50_000], (depth) => ({
    id: 'GQ-11',
    what: `fields nested ${depth} deep`,
    send: ask(nested(depth)),
    outcome: graphqlError(/Recursion limit exceeded|more than/),
  })),
  { id: 'GQ-11', what: '100,000 braces that are never closed', send: ask('{a'.repeat(60_000)), outcome: ERROR },
  { id: 'GQ-11', what: 'braces 49 deep', send: ask(nested(49)), outcome: ERROR },
  {
    id: 'GQ-11',
    what: 'inline fragments nested 10,000 deep',
    send: ask(`{${'...{'.repeat(DEEP)}__typename${'}'.repeat(DEEP)}}`),
    outcome: ERROR,
  },
  ...each<readonly [string, string]>(
    [
      ['a list', `{sampleCollection(filter:{id:{in:${'['.repeat(DEEP)}1${']'.repeat(DEEP)}}}){edges{node{id}}}}`],
      ['an object', `{sampleCollection(filter:${'{and:'.repeat(DEEP)}1${'}'.repeat(DEEP)}){edges{node{id}}}}`],
      ['a type', `query($v:${'['.repeat(DEEP)}Int${']'.repeat(DEEP)}){__typename}`],
      ['a default', `query($v:Int=${'['.repeat(DEEP)}1${']'.repeat(DEEP)}){__typename}`],
    ],
    ([what, query]) => ({ id: 'GQ-12', what: `${what} nested 10,000 deep`, send: ask(query), outcome: ERROR }),
  ),
  ...each([199, 201, 5_000, 100_000], (depth) => ({
    id: 'GQ-12',
    what: `variables nested ${depth} deep`,
    send: raw('query($v:[Int]){__typename}', `{"v":${'['.repeat(depth)}${']'.repeat(depth)}}`),
    outcome: either(MALFORMED, ERROR, DATA),
  })),
  {
    id: 'GQ-14',
    what: '10,000 aliases of one collection',
    send: ask(`{${Array.from({ length: 10_000 }, (_, i) => `q${i}:c`).join(' ')}}`),
    outcome: graphqlError(/limit (?:tokens|aliases|rootFields)/),
  },
  {
    id: 'GQ-14',
    what: '1,000 aliases of one collection',
    send: ask(`{${Array.from({ length: 1_000 }, (_, i) => `q${i}:sampleCollection(first:1){edges{cursor}}`).join(' ')}}`),
    outcome: graphqlError(/limit (?:tokens|aliases|rootFields|documentCharacters)/),
  },
  {
    id: 'GQ-14',
    what: '101 root fields',
    send: ask(`{${Array.from({ length: 101 }, (_, i) => `q${i}:__typename`).join(' ')}}`),
    outcome: graphqlError(/rootFields/),
  },
  ...each(['totalCount', 'aggregate{count}', 'aggregate{max{id}}'], (field) => ({
    id: 'GQ-15',
    what: `1,000 aliases of ${field}`,
    send: ask(`{sampleCollection{${Array.from({ length: 1_000 }, (_, i) => `c${i}:${field}`).join(' ')}}}`),
    outcome: graphqlError(/limit (?:aliases|tokens)/),
  })),
  ...each([1, 2, 50, 500], (length) => ({
    id: 'GQ-18',
    what: `a circle of ${length} fragments`,
    send: ask(`{...f0}${Array.from({ length }, (_, i) => `fragment f${i} on Query{...f${(i + 1) % length}}`).join('')}`),
    outcome: graphqlError(/cycle|Fragment/i),
  })),
  {
    id: 'GQ-18',
    what: 'a circle that nobody uses',
    send: ask('{__typename} fragment a on Query{...b} fragment b on Query{...a}'),
    outcome: ERROR,
  },
  {
    id: 'GQ-18',
    what: 'a circle through relations',
    send: ask('{accountCollection{edges{node{...a}}}} fragment a on account{id parent{...a}}'),
    outcome: ERROR,
  },
  {
    id: 'GQ-19',
    what: 'thirty fragments, each with the next one twice: 2^30 fields',
    send: ask(
      `{...f0}${Array.from({ length: 30 }, (_, i) => `fragment f${i} on Query{...f${i + 1} x${i}:__typename ...f${i + 1}}`).join('')}fragment f30 on Query{__typename}`,
    ),
    outcome: graphqlError(/limit|Fragment/),
    maxLoopDelay: 100,
  },
  {
    id: 'GQ-19',
    what: 'the same below a relation',
    send: ask(
      `{accountCollection{edges{node{...f0}}}}${Array.from({ length: 30 }, (_, i) => `fragment f${i} on account{a${i}:parent{...f${i + 1}} b${i}:parent{...f${i + 1}}}`).join('')}fragment f30 on account{id}`,
    ),
    outcome: graphqlError(/limit|Fragment|Recursion/i),
    maxLoopDelay: 100,
  },
  ...each<readonly [string, string]>(
    [
      ['3,000 directives on one field', `{__typename ${'@skip(if:false)'.repeat(3_000)}}`],
      ['1,500 short directives on one field', `{__typename ${'@a'.repeat(1_500)}}`],
      ['2,000 variables', `query(${Array.from({ length: 2_000 }, (_, i) => `$v${i}:Int`).join(' ')}){__typename}`],
      ['3,000 unused fragments', `{__typename}${Array.from({ length: 3_000 }, (_, i) => `fragment f${i} on Query{a}`).join('')}`],
      ['3,000 operations', Array.from({ length: 3_000 }, (_, i) => `query q${i}{a}`).join('')],
      ['20,000 arguments', `{sampleCollection(${'a:1 '.repeat(20_000)}){edges{node{id}}}}`],
    ],
    ([what, query]) => ({ id: 'GQ-20', what, send: ask(query), outcome: either(ERROR, DATA), maxLoopDelay: 100 }),
  ),
  ...each<readonly [string, string, object?]>(
    [
      ['a variable that is missing', 'query($m:Boolean!){a:__typename @skip(if:$m)}'],
      ['a variable that was never declared', '{a:__typename @skip(if:$m)}'],
      ['a text', '{a:__typename @skip(if:"yes")}'],
      ['null', '{a:__typename @include(if:null)}'],
      ['twice', '{a:__typename @skip(if:true) @skip(if:false)}'],
      ['a number by variable', 'query($m:Boolean!){a:__typename @skip(if:$m)}', { m: 1 }],
      ['a list', '{a:__typename @skip(if:[true])}'],
      ['an enum', '{a:__typename @skip(if:TRUE)}'],
    ],
    ([what, query, variables]) => ({ id: 'GQ-21', what: `@skip with ${what}`, send: ask(query, variables), outcome: either(ERROR, DATA) }),
  ),
  ...each(
    [
      'Int',
      'Int!',
      'BigInt',
      'BigFloat',
      'Float',
      'Boolean',
      'String',
      'String!',
      'ID',
      'UUID',
      'Date',
      'Time',
      'Datetime',
      'JSON',
      'Opaque',
      'Cursor',
      '[Int]',
      '[String!]!',
      'IntFilter',
      'sampleFilter',
      '[sampleOrderBy!]',
      'sampleInsertInput!',
      '[sampleInsertInput!]!',
      'sampleUpdateInput',
      'OrderByDirection',
      'FilterIs',
      'Nonsense',
      '__Type',
      'Query',
    ],
    (type) => ({
      id: 'GQ-23',
      what: `variables of type ${type}, right and wrong`,
      play: async (world) => {
        const values: unknown[] = [
          'missing',
          null,
          1,
          -1,
          1.5,
          true,
          '',
          'x',
          [],
          [null],
          ['x'],
          [[1]],
          {},
          { eq: 1 },
          { eq: null },
          { a: { b: 1 } },
          JSON.parse('{"__proto__":null,"constructor":1}'),
          '2020-01-01',
          'AscNullsFirst',
          'x'.repeat(10_000),
        ]
        const places = [
          'sampleCollection(filter:{an_int:{eq:$v}}){edges{node{id}}}',
          'sampleCollection(filter:{a_text:{in:$v}}){edges{node{id}}}',
          'sampleCollection(filter:{a_timestamptz:{gt:$v}}){edges{node{id}}}',
          'sampleCollection(filter:$v){edges{node{id}}}',
          'sampleCollection(orderBy:$v){edges{node{id}}}',
          'sampleCollection(first:$v){edges{node{id}}}',
          'sampleCollection(after:$v){edges{node{id}}}',
        ]
        for (const value of values) {
          const variables = value === 'missing' ? {} : { v: value }
          for (const place of places) {
            const answer = await world.graphql(`query($v:${type}){${place}}`, { variables })
            expect(answer.status, `${place} ${JSON.stringify(variables).slice(0, 100)} ${answer.body}`).toBe(200)
            expect(answer.body.toString()).not.toMatch(/Internal/)
          }
        }
      },
    }),
  ),
  {
    id: 'GQ-23',
    what: 'every type of column, every wrong value, written and updated',
    play: async (world) => {
      const columns = [
        'an_int',
        'a_big',
        'a_numeric',
        'a_float',
        'a_bool',
        'a_text',
        'a_uuid',
        'a_date',
        'a_time',
        'a_timestamp',
        'a_timestamptz',
        'a_json',
        'a_jsonb',
        'a_list',
        'bytes',
      ]
      const values = [
        '1',
        '-0',
        '1e400',
        '1.5',
        'true',
        '"x"',
        '""',
        '[]',
        '[[1]]',
        '["x"]',
        '{}',
        '{"a":1}',
        '"\\u0000"',
        '"\\ud800"',
        '"NaN"',
        '"infinity"',
        '9007199254740993',
        '"9223372036854775808"',
        '"{"',
        '"[1,"',
        '"\\\\x0"',
        '"2023-02-30"',
        '"24:00:01"',
        '"00000000-0000-0000-0000-00000000000g"',
        'null',
      ]
      for (const column of columns)
        for (const value of values) {
          const mutations = [
            'mutation($o:[sampleInsertInput!]!){insertIntosampleCollection(objects:$o){affectedCount records{id}}}',
            'mutation($o:sampleUpdateInput!){updatesampleCollection(set:$o,filter:{id:{eq:-1}}){affectedCount}}',
          ]
          for (const [i, mutation] of mutations.entries()) {
            const object = `{"${column}":${value}}`
            const { answers } = await world.send(raw(mutation, `{"o":${i === 0 ? `[${object}]` : object}}`)(world))
            expect(answers[0]?.status, `${object} ${answers[0]?.body}`).toBe(200)
          }
        }
      await world.db.query('delete from sample where id > 1')
    },
  },
  ...each(['2147483648', '-2147483649', '1.0', '1e3', '1.5', '"1"', '99999999999999999999', '-0', '1e400', 'true', '[1]'], (number) => ({
    id: 'GQ-25',
    what: `Int ${number}`,
    play: async (world) => {
      for (const place of ['filter:{an_int:{eq:$v}}', 'first:$v', 'offset:$v']) {
        const { answers } = await world.send(raw(`query($v:Int){sampleCollection(${place}){edges{node{id}}}}`, `{"v":${number}}`)(world))
        expect(answers[0]?.status, `${place} ${answers[0]?.body}`).toBe(200)
        const literal = await world.graphql(`{sampleCollection(${place.replace('$v', number)}){edges{node{id}}}}`)
        expect(literal.status, `${place} ${literal.body}`).toBe(200)
      }
    },
  })),
  ...each(
    [
      '1e400',
      '-1e400',
      '-0',
      '1e-400',
      '"NaN"',
      '"Infinity"',
      '"-Infinity"',
      `"${'9'.repeat(200_000)}"`,
      `"0.${'1'.repeat(200_000)}"`,
      `"1e131072"`,
      '"1e999999999999"',
      '"--1"',
      '" 1 "',
      '"1_000"',
      '"0x10"',
    ],
    (number, what) => ({
      id: 'GQ-26',
      what: `Float and BigFloat ${what}`,
      maxLoopDelay: 100,
      play: async (world) => {
        for (const [column, type] of [
          ['a_float', 'Float'],
          ['a_numeric', 'BigFloat'],
        ] as const) {
          const began = performance.now()
          const { answers } = await world.send(
            raw(`query($v:${type}){sampleCollection(filter:{${column}:{eq:$v}}){edges{node{${column}}}}}`, `{"v":${number}}`)(world),
          )
          expect(answers[0]?.status, answers[0]?.body.toString().slice(0, 200)).toBe(200)
          expect(performance.now() - began).toBeLessThan(2_000 * crowd())
        }
      },
    }),
  ),
  ...each<readonly [string, string]>(
    [
      ['a_bool', 'true'],
      ['a_bool', '1'],
      ['a_bool', 'yes'],
      ['a_uuid', 'garbage'],
      ['a_uuid', '{aaaaaaaa-0000-4000-8000-000000000001}'],
      ['a_uuid', 'AAAAAAAA-0000-4000-8000-000000000001'],
      ['a_uuid', 'aaaaaaaa00004000800000000000000g'],
      ['a_date', '2023-02-30'],
      ['a_date', '294277-01-01'],
      ['a_date', 'infinity'],
      ['a_date', '-infinity'],
      ['a_date', '0000-00-00'],
      ['a_date', 'now'],
      ['a_date', 'epoch'],
      ['a_date', '4714-11-24 BC'],
      ['a_time', '24:00'],
      ['a_time', '24:00:01'],
      ['a_time', '23:59:60.999'],
      ['a_time', 'allballs'],
      ['a_timestamptz', '294277-01-01T00:00:00Z'],
      ['a_timestamptz', '2020-01-01T00:00:00+99:99'],
      ['a_timestamptz', '2020-01-01 00:00 Nowhere/City'],
    ],
    ([column, value]) => ({
      id: 'GQ-27',
      what: `${column} ${value}`,
      play: async (world) => {
        const filtered = await world.graphql(`{sampleCollection(filter:{${column}:{eq:${JSON.stringify(value)}}}){edges{node{id}}}}`)
        expect(filtered.status, filtered.body.toString()).toBe(200)
        const inserted = await world.graphql(
          `mutation{insertIntosampleCollection(objects:[{${column}:${JSON.stringify(value)}}]){records{${column}}}}`,
        )
        expect(inserted.status, inserted.body.toString()).toBe(200)
        const read = await world.graphql(`{sampleCollection{edges{cursor node{${column}}}}}`)
        expect(messagesOf(read)).toEqual([])
        await world.db.query('delete from sample where id > 1')
      },
    }),
  ),
  {
    id: 'GQ-30',
    what: '64-bit integers by variable, exact there and back',
    play: async (world) => {
      const insert = 'mutation($v:BigInt!){insertIntosampleCollection(objects:[{a_big:$v}]){records{a_big}}}'
      for (const number of ['9007199254740993', '"9223372036854775807"', '-9223372036854775808', '"-9007199254740993"']) {
        const { answers } = await world.send(raw(insert, `{"v":${number}}`)(world))
        expect(graphqlBody(answers[0]).data, number).toEqual({
          insertIntosampleCollection: { records: [{ a_big: number.replaceAll('"', '') }] },
        })
        const found = await world.send(
          raw('query($v:BigInt!){sampleCollection(filter:{a_big:{eq:$v}}){edges{node{a_big}}}}', `{"v":${number}}`)(world),
        )
        expect(found.answers[0]?.body.toString(), number).toContain(number.replaceAll('"', ''))
      }
      for (const number of ['"9223372036854775808"', '9223372036854775808', '1000000000000000000000000000000', '"1e30"', '1e400', '1.5']) {
        const { answers } = await world.send(raw(insert, `{"v":${number}}`)(world))
        expect(messagesOf(answers[0]).length, number).toBe(1)
      }
      await world.db.query('delete from sample where id > 1')
    },
  },
  {
    id: 'GQ-31',
    what: 'sums beyond 2^53',
    play: async (world) => {
      await world.db.query('insert into sample (a_big, a_numeric) select 9007199254740993, 9007199254740993.25 from generate_series(1, 3)')
      const answer = await world.graphql(
        '{sampleCollection(filter:{a_big:{gt:"100"}}){aggregate{sum{a_big a_numeric} max{a_big a_numeric} avg{a_big}}}}',
      )
      expect(messagesOf(answer)).toEqual([])
      expect(answer.body.toString()).toMatch(/27021597764222979/)
      expect(answer.body.toString()).toMatch(/27021597764222979\.75/)
      await world.db.query('delete from sample where id > 1')
    },
  },
  ...each<readonly [string, string, boolean]>(
    [
      ['NUL', 'a\0b', false],
      ['half of a surrogate pair', '\ud800x', false],
      ['the other half', 'x\udc00', false],
      ['1 MB', 'x'.repeat(900_000), true],
      ['right-to-left marks', '\u202eabc\u202c', true],
      ['a composed accent', 'caf\u00e9', true],
      ['a decomposed accent', 'cafe\u0301', true],
      ['control characters', '\u0001\u001b[31m\u007f\r\n\t\b\f', true],
      ['line separators', '\u2028\u2029', true],
      ['an emoji', '\u{1f600}', true],
      ['quotes and backslashes', '"\\\'`', true],
      ['</script>', '</script><!--', true],
    ],
    ([what, text, isGood]) => ({
      id: 'GQ-32',
      what: `text with ${what}`,
      play: async (world) => {
        const answer = await world.graphql('mutation($t:String!){insertIntosampleCollection(objects:[{a_text:$t}]){records{a_text}}}', {
          variables: { t: text },
        })
        expect(answer.status).toBe(200)
        if (!isGood) expect(messagesOf(answer)).toHaveLength(1)
        else
          expect(
            (graphqlBody(answer).data as { insertIntosampleCollection: { records: object[] } }).insertIntosampleCollection.records,
          ).toEqual([{ a_text: text }])
        const found = await world.graphql('query($t:String!){sampleCollection(filter:{a_text:{eq:$t}}){edges{node{id}}}}', {
          variables: { t: text },
        })
        expect(messagesOf(found).length).toBe(isGood ? 0 : 1)
        if (text.length < 1_000) {
          const literal = await world.graphql(`{sampleCollection(filter:{a_text:{eq:${JSON.stringify(text)}}}){edges{node{id}}}}`)
          expect(literal.status).toBe(200)
        }
        world.takeHeard()
        await world.db.query('delete from sample where id > 1')
      },
    }),
  ),
  {
    id: 'GQ-33',
    what: 'tables and types of all shapes',
    play: async (world) => {
      const columns = Array.from({ length: 1_590 }, (_, i) => `c${i} int`).join(', ')
      await world.db.query(`create table wide (id int primary key, ${columns}); insert into wide (id) values (1)`)
      try {
        const schema = await world.graphql('{__schema{types{name}}}')
        expect(messagesOf(schema)).toEqual([])
        const wide = await world.graphql(`{wideCollection{edges{node{${Array.from({ length: 1_000 }, (_, i) => `c${i}`).join(' ')}}}}}`)
        expect(wide.status).toBe(200)
        const set = await world.graphql(
          `mutation{updatewideCollection(set:{${Array.from({ length: 1_000 }, (_, i) => `c${i}:${i}`).join(' ')}}){affectedCount}}`,
        )
        expect(set.status).toBe(200)
        for (const [table, fields] of [
          ['shapes', 'id matrix a_pair a_small span spot raw words nodeId'],
          ['a_name_of_sixty_three_bytes_that_is_as_long_as_a_name_can_be_aa', 'id'],
        ]) {
          const answer = await world.graphql(`{${table}Collection{edges{cursor node{${fields}}}}}`)
          expect(answer.status).toBe(200)
        }
      } finally {
        await world.db.query('drop table wide')
      }
    },
  },
  ...each(['%a'.repeat(2_000), '_%'.repeat(5_000), '\\', '%\\', 'a\\'], (pattern, what) => ({
    id: 'GQ-35',
    what: `like ${what}`,
    send: ask('query($p:String!){sampleCollection(filter:{a_text:{like:$p}}){edges{node{id}}}}', { p: pattern }),
    outcome: either(DATA, ERROR),
  })),
  ...each(
    [
      '(a*)*b',
      '(a|a)*$',
      '((a+)+)+$',
      '(.*)\\1\\1\\1b',
      '(?:a{0,200}){0,200}',
      '[',
      '(',
      '\\',
      `${'('.repeat(500)}a${')'.repeat(500)}`,
      'a'.repeat(50_000),
    ],
    (pattern, what) => ({
      id: 'GQ-35',
      what: `iregex ${what} on long texts`,
      play: async (world) => {
        await world.db.query(`insert into sample (id, a_text) values (60, repeat('a', 500000) || '!')`)
        try {
          const answer = await world.graphql('query($p:String!){sampleCollection(filter:{a_text:{iregex:$p}}){edges{node{id}}}}', {
            variables: { p: pattern },
          })
          expect(answer.status).toBe(200)
        } finally {
          await world.db.query('delete from sample where id = 60')
        }
      },
    }),
  ),
  ...each<readonly [string, string]>(
    [
      ['and 1,000 deep', `${'{and:['.repeat(1_000)}{id:{eq:1}}${']}'.repeat(1_000)}`],
      ['not 1,000 deep', `${'{not:'.repeat(1_000)}{id:{eq:1}}${'}'.repeat(1_000)}`],
      ['or 2,000 wide', `{or:[${'{id:{eq:1}}'.repeat(2_000)}]}`],
      ['in of 9,000', `{id:{in:[${Array.from({ length: 9_000 }, (_, i) => i).join(' ')}]}}`],
    ],
    ([what, filter]) => ({
      id: 'GQ-36',
      what: `a filter of ${what}`,
      send: ask(`{sampleCollection(filter:${filter}){edges{node{id}}}}`),
      outcome: either(ERROR, ...(what.startsWith('in') ? [DATA] : [])),
    }),
  ),
  ...each<readonly [string, string]>(
    [
      ...[95, 190, 10_000].map((depth) => [`not ${depth} deep`, `${'{"not":'.repeat(depth)}{"id":{"eq":1}}${'}'.repeat(depth)}`] as const),
      ['and 60 deep and 15 wide', `${'{"and":['.repeat(60)}{"id":{"eq":1}}${`${',{"id":{"gt":0}}'.repeat(14)}]}`.repeat(60)}`],
      ['or 10,000 wide', `{"or":[${Array.from({ length: 10_000 }, (_, i) => `{"id":{"eq":${i}}}`)}]}`],
      ['in of 100,000', `{"id":{"in":[${Array.from({ length: 100_000 }, (_, i) => i)}]}}`],
      ['and of nothing', '{"and":[]}'],
      ['or of nothing', '{"or":[]}'],
      ['not of a list', '{"not":[{"id":{"eq":1}}]}'],
      ['nothing', '{}'],
      ['operators that are none', '{"id":{"eq":1,"__proto__":2,"constructor":3}}'],
    ],
    ([what, filter]) => ({
      id: 'GQ-36',
      what: `a filter by variable: ${what}`,
      send: raw('query($f:sampleFilter){sampleCollection(filter:$f){edges{node{id}}}}', `{"f":${filter}}`),
      outcome: either(ERROR, DATA, MALFORMED),
    }),
  ),
  ...each(
    [
      'first:2147483647',
      'first:-1',
      'first:1,last:1',
      'offset:1000000000',
      'offset:-1',
      'after:"garbage"',
      'after:""',
      `after:"${Buffer.from('["x"]').toString('base64')}"`,
      `after:"${Buffer.from('[1,2,3,4]').toString('base64')}"`,
      `after:"${Buffer.from('{"a":1}').toString('base64')}"`,
      `after:"${Buffer.from('[null]').toString('base64')}"`,
      `after:"${Buffer.from('["\\u0000"]').toString('base64')}"`,
      `after:"${Buffer.from('[1e400]').toString('base64')}"`,
      `after:"${Buffer.from('['.repeat(10_000)).toString('base64')}"`,
      `after:"${Buffer.from('[{"a":1}]').toString('base64')}"`,
      'first:1,after:"x",last:1,before:"x",offset:1',
      'first:null,last:null',
      'first:9999999999',
      'first:1.5',
    ],
    (args) => ({
      id: 'GQ-38',
      what: args,
      send: ask(`{sampleCollection(${args}){edges{cursor node{id}}pageInfo{hasNextPage}}}`),
      outcome: either(ERROR, DATA),
    }),
  ),
  ...each([2, 4, 6, 8], (depth) => ({
    id: 'GQ-40',
    what: `thirty rows each, ${depth} relations round and round`,
    play: async (world) => {
      await world.db.query(
        `insert into account (id, owner, name, parent_id) select 1000 + g, $1, repeat('n', 100), 1001 from generate_series(1, 30) g`,
        [USER_A],
      )
      try {
        const before = (await world.service.ask()).residentBytes
        const { answers } = await world.send(
          request(
            'POST',
            '/graphql/v1',
            [
              ['apiKey', world.tokens.anon],
              ['Authorization', `Bearer ${world.tokens.A}`],
              ['Content-Type', 'application/json'],
            ],
            JSON.stringify({ query: cycle(depth) }),
          ),
          { patience: 20_000 },
        )
        const [answer] = answers
        expect(answer?.status, `${answer?.body.subarray(0, 300)}`).toBe(200)
        expect(answer?.body.length).toBeLessThan(64 * 2 ** 20)
        const after = (await world.service.ask()).residentBytes
        expect((after - before) / 2 ** 20, 'MiB more').toBeLessThan(150)
        world.takeHeard()
      } finally {
        await world.db.query('delete from account where id > 1000')
      }
    },
  })),
  {
    id: 'GQ-42',
    what: 'a deletion with a million rows behind it: the statement timeout ends it, nothing is gone',
    long: true,
    play: async (world) => {
      await world.db.query(`insert into account (id, owner) values (2000, $1)`, [USER_A])
      await world.db.query('insert into note (account_id, body) select 2000, repeat(g::text, 10) from generate_series(1, 1000000) g')
      const answer = await world.graphql('mutation{deleteFromaccountCollection(filter:{id:{eq:2000}}){affectedCount}}', {
        as: 'A',
        options: { patience: 30_000 },
      })
      const { rows } = await world.db.query('select count(*)::int as notes from note where account_id = 2000')
      expect(rows[0].notes).toBe(messagesOf(answer).length > 0 ? 1_000_000 : 0)
      await world.db.query('truncate note; delete from account where id = 2000')
    },
  },
  {
    id: 'GQ-43',
    what: 'the second of two changes fails: the first is undone',
    play: async (world) => {
      const answer = await world.graphql(
        'mutation{a:insertIntosampleCollection(objects:[{a_text:"gq-43"}]){affectedCount} b:insertIntoobjectsCollection(objects:[{id:1,name:"x"}]){affectedCount}}',
      )
      expect(messagesOf(answer)).toHaveLength(1)
      const refused = await world.graphql('mutation{a:insertIntosampleCollection(objects:[{a_text:"gq-43"}]){affectedCount} b:nonsense{x}}')
      expect(messagesOf(refused).length).toBeGreaterThan(0)
      const { rows } = await world.db.query(`select from sample where a_text = 'gq-43'`)
      expect(rows).toEqual([])
    },
  },
  {
    id: 'GQ-44',
    what: 'a constraint that fails when the transaction commits: no success is told',
    play: async (world) => {
      const answer = await world.graphql('mutation{insertIntobalancedCollection(objects:[{id:44,amount:5}]){affectedCount records{id}}}')
      expect(graphqlBody(answer).data).toBeNull()
      expect(messagesOf(answer).join()).toContain('the books do not balance')
      const { rows } = await world.db.query('select from balanced where id = 44')
      expect(rows).toEqual([])
      expect(
        graphqlBody(await world.graphql('mutation{insertIntobalancedCollection(objects:[{id:45,amount:0}]){affectedCount}}')).data,
      ).toBeTruthy()
    },
  },
  {
    id: 'GQ-45',
    what: 'two that wait for each other: a clean error for one, the other goes through',
    play: async (world) => {
      await world.db.query(`insert into objects values (451, 'x'), (452, 'x') on conflict do nothing`)
      for (let round = 0; round < 5; round++) {
        const change = (a: number, b: number) =>
          world.graphql(
            `mutation{a:updateobjectsCollection(set:{name:"${a}"},filter:{id:{eq:${a}}}){affectedCount} s:wait(seconds:0.1) b:updateobjectsCollection(set:{name:"${a}"},filter:{id:{eq:${b}}}){affectedCount}}`,
            { as: 'A' },
          )
        const answers = await Promise.all([change(451, 452), change(452, 451)])
        for (const answer of answers) expect(answer.status).toBe(200)
        expect(
          answers.filter((answer) => messagesOf(answer).length === 0).length,
          answers.map(({ body }) => body).join('\n'),
        ).toBeGreaterThanOrEqual(1)
        const { rows } = await world.db.query('select distinct name from objects where id in (451, 452)')
        expect(rows).toHaveLength(1)
      }
      await world.db.query('delete from objects where id > 1')
    },
  },
  ...each(
    [
      'tell_everybody(times:1000000)',
      'fill_disk(rows:3000000)',
      'allocate(bytes:2000000000)',
      'allocate(bytes:1000000000)',
      'wait(seconds:60)',
      'wait(seconds:-1)',
    ],
    (call) => ({
      id: 'GQ-48',
      what: `a function that ${call}`,
      play: async (world) => {
        const answer = await world.graphql(`mutation{${call}}`, { options: { patience: 20_000 } })
        expect(answer.status).toBe(200)
        expect((await world.graphql('{__typename}')).status).toBe(200)
      },
    }),
  ),
  {
    id: 'GQ-49',
    what: 'an answer of hundreds of megabytes is refused, not held',
    play: async (world) => {
      await world.db.query(`insert into sample (id, a_text) select 4900 + g, repeat('x', 10000000) from generate_series(1, 15) g`)
      try {
        const before = (await world.service.ask()).residentBytes
        const answer = await world.graphql('{sampleCollection(first:30){edges{node{a_text}}}}', { options: { patience: 20_000 } })
        expect([answer.status, answer.body.length < 64 * 2 ** 20], answer.body.subarray(0, 200).toString()).toEqual([200, true])
        const after = (await world.service.ask()).residentBytes
        expect((after - before) / 2 ** 20, 'MiB more').toBeLessThan(300)
        world.takeHeard()
      } finally {
        await world.db.query('delete from sample where id > 4900')
      }
    },
  },
  {
    id: 'GQ-50',
    what: 'a hundred clients leave in the middle of a long question',
    play: async (world) => {
      const question = request(
        'POST',
        '/graphql/v1',
        [
          ['apiKey', world.tokens.anon],
          ['Content-Type', 'application/json'],
        ],
        JSON.stringify({ query: 'mutation{wait(seconds:0.9)}' }),
      )
      for (let round = 0; round < 5; round++) {
        await Promise.all(Array.from({ length: 20 }, () => world.send(question, { patience: 60 })))
        await expect
          .poll(
            async () =>
              (await world.db.query(`select from pg_stat_activity where usename = 'stowage_web' and state <> 'idle'`)).rows.length,
            { timeout: 1_000 * crowd(), interval: 20 },
          )
          .toBe(0)
      }
    },
  },
  {
    id: 'GQ-51',
    what: '2,000 different documents: memory stays',
    play: async (world) => {
      const documents = async (from: number) => {
        for (let i = from; i < from + 1_000; i += 100) {
          const body = Array.from({ length: 100 }, (_, n) =>
            request(
              'POST',
              '/graphql/v1',
              [
                ['apiKey', world.tokens.anon],
                ['Content-Type', 'application/json'],
                ['Connection', 'keep-alive'],
              ],
              JSON.stringify({ query: `{a${i + n}:sampleCollection(first:${(n % 30) + 1}){edges{node{x${i}:id a_text}}}}` }),
            ),
          )
          const { answers } = await world.send(Buffer.concat(body), { answers: 100 })
          expect(answers.filter((answer) => answer.status !== 200)).toEqual([])
          world.takeHeard()
        }
        return (await world.service.ask()).residentBytes
      }
      const first = await documents(0)
      const second = await documents(1_000)
      expect((second - first) / 2 ** 20, 'MiB more').toBeLessThan(60)
    },
  },
  {
    id: 'GQ-53',
    what: 'tables called Query, Node, Int, __x and order: a schema that others can build',
    note: 'recorded: names with two underscores in front are shown as they are; a comment directive gives another',
    play: async (world) => {
      const answer = await world.graphql(getIntrospectionQuery())
      expect(messagesOf(answer)).toEqual([])
      const schema = buildClientSchema((jsonOf(answer) as { data: IntrospectionQuery }).data)
      expect(
        validateSchema(schema)
          .map(({ message }) => message)
          .filter((message) => !message.includes('must not begin with "__"')),
      ).toEqual([])
      const again = await world.graphql(getIntrospectionQuery())
      expect(again.body.equals(answer.body)).toBe(true)
      for (const query of [
        '{orderCollection{edges{node{id type}}}}',
        '{__typename}',
        '{QueryCollection{edges{node{id}}}}',
        '{NodeCollection{edges{node{id}}}}',
      ])
        expect((await world.graphql(query)).status, query).toBe(200)
    },
  },
  ...each(
    [
      'Accept: application/graphql-response+json',
      'Accept: text/html',
      'Accept: */*;q=nonsense',
      `Accept: ${','.repeat(5_000)}`,
      `Accept: ${'a/b;q=1,'.repeat(1_000)}`,
    ],
    (line, what) => ({
      id: 'GQ-101',
      what,
      send: post('{"query":"{nonsense}"}', 'application/json', [line.split(': ') as unknown as Header]),
      outcome: status(200, 400),
      maxLoopDelay: 50,
    }),
  ),
]
