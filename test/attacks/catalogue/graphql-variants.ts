import { expect } from 'vitest'
import { type Attack, each, shown } from '../attack.ts'
import { either, graphqlBody, graphqlData, graphqlError, type Outcome, status } from '../outcome.ts'
import { type Payload, request } from '../raw.ts'
import type { World } from '../world.ts'

/** Any body, as it is. */
const raw =
  (body: Payload, type = 'application/json') =>
  (world: World) =>
    request(
      'POST',
      '/graphql/v1',
      [
        ['apiKey', world.tokens.anon],
        ['Content-Type', type],
      ],
      body,
    )

const ask = (query: string, more: object = {}) => raw(JSON.stringify({ query, ...more }))

/** An answer of GraphQL, or a refused body: never a fault, and short. */
const CLEAN: Outcome = {
  says: 'one answer of GraphQL or of a refused body, of moderate length',
  fits: ({ answers: [answer, ...others] }) =>
    answer !== undefined && others.length === 0 && [200, 400, 413].includes(answer.status) && answer.body.length < 300_000,
}

const REFUSED = either(graphqlError(), status(400, 413))

export const GRAPHQL_VARIANTS: readonly Attack[] = [
  ...each(
    [
      '[]',
      '[{"query":"{__typename}"}]',
      '[{"query":"{__typename}"},{"query":"{__typename}"}]',
      `[${'{"query":"{__typename}"},'.repeat(9_999)}{"query":"{__typename}"}]`,
      '[[{"query":"{__typename}"}]]',
      '{"0":{"query":"{__typename}"},"length":1}',
      '"{__typename}"',
      '{"query":["{__typename}"]}',
      '{"query":{"toString":"{__typename}"}}',
    ],
    (body, what) => ({ id: 'GQ-111', what: `a batch or another shape: ${what}`, send: raw(body), outcome: REFUSED }),
  ),
  ...each(
    [
      '{"query":"{__typename}","query":"{__schema{types{name}}}"}',
      '{"query":"{__typename}","variables":{"a":1},"variables":{"a":2}}',
      '{"query":"{__typename}","operationName":null,"operationName":"x"}',
      '{"query":"{__typename}","__proto__":{"operationName":"x"}}',
      '{"__proto__":{"query":"{__typename}"}}',
      '{"constructor":{"prototype":{"query":"{__typename}"}},"query":"{__typename}"}',
      '{"query":"{__typename}","extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}',
      '{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}',
      '{"id":"x","query":"{__typename}","map":{},"operations":"x"}',
    ],
    (body, what) => ({ id: 'GQ-112', what: `members ${what}`, send: raw(body), outcome: CLEAN }),
  ),
  ...each(
    ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__', 'then', 'length'],
    (name) => ({
      id: 'GQ-113',
      what: `the name ${name} in every place`,
      play: async (world) => {
        const aliased = await world.graphql(`{${name}: __typename}`)
        expect(aliased.body.toString()).toBe(`{"data":{"${name}":"Query"}}`)
        const documents: readonly (readonly [string, object?])[] = [
          [`query ${name}{__typename}`, { operationName: name }],
          ['{__typename}', { operationName: name }],
          [`{...${name}} fragment ${name} on Query{__typename}`],
          [`query($${name}: Int){accountCollection(first:$${name}){edges{node{id}}}}`, { variables: JSON.parse(`{"${name}":1}`) }],
          ['query($a: Int){accountCollection(first:$a){edges{node{id}}}}', { variables: JSON.parse(`{"${name}":{"a":1}}`) }],
          [`{__type(name:"${name}"){name}}`],
          [`{${name}{id}}`],
          [`{accountCollection(${name}:1){edges{node{id}}}}`],
          [`{accountCollection(filter:{${name}:{eq:1}}){edges{node{id}}}}`],
          [`{accountCollection(filter:{id:{${name}:1}}){edges{node{id}}}}`],
          [`{accountCollection(orderBy:[{${name}:AscNullsFirst}]){edges{node{id}}}}`],
          [`{accountCollection(orderBy:[{id:${name}}]){edges{node{id}}}}`],
          [`{__typename @${name}}`],
          [`{accountCollection{edges{node{${name}}}}}`],
          [`{... on ${name}{__typename}}`],
          [
            'query($f: accountFilter){accountCollection(filter:$f){edges{node{id}}}}',
            { variables: { f: JSON.parse(`{"${name}":{"eq":1}}`) } },
          ],
          [`mutation{insertIntoaccountCollection(objects:[{${name}:1}]){affectedCount}}`],
          [`mutation{${name}}`],
        ]
        for (const [query, more] of documents) {
          const { answers } = await world.send(ask(query, more)(world))
          expect(answers, query).toHaveLength(1)
          expect(answers[0]?.status, query).toBe(200)
          const { data, errors } = graphqlBody(answers[0])
          expect(data !== undefined || (errors?.length ?? 0) > 0, query).toBe(true)
        }
      },
    }),
  ),
  ...each(
    [
      `first: 1${'0'.repeat(4_000)}`,
      'first: 1e3',
      'first: 1.0',
      'first: -9223372036854775809',
      'offset: 9223372036854775808',
      'first: 0x10',
      'first: 01',
      'first: +1',
      'first: "1"',
      'first: [1]',
      'first: {a: 1}',
      'first: NaN',
      'filter: {id: {eq: 1e400}}',
      'filter: {id: {eq: -0}}',
      `filter: {id: {eq: ${'9'.repeat(20_000)}}}`,
      `filter: {id: {in: [${'1,'.repeat(3_000)}1]}}`,
      'filter: {id: {in: [[[[1]]]]}}',
      'filter: {id: {eq: null}}',
      'filter: {id: null}',
      'filter: [{id: {eq: 1}}]',
      'filter: {and: []}',
      'filter: {not: {not: {not: {}}}}',
      'before: "", after: ""',
      'after: "W10="',
      'after: "bnVsbA=="',
      'after: "eyJfX3Byb3RvX18iOjF9"',
    ],
    (given, what) => ({ id: 'GQ-114', what, send: ask(`{accountCollection(${given}){edges{node{id}}}}`), outcome: CLEAN }),
  ),
  ...each(
    [
      ['the same field ten thousand times', `{${'__typename '.repeat(9_990)}}`],
      ['five hundred aliases and one', `{${Array.from({ length: 501 }, (_, i) => `a${i}:__typename`).join(' ')}}`],
      ['aliases of different fields under one name', '{a: __typename a: accountCollection{edges{node{id}}}}'],
      [
        'different arguments under one name',
        '{a: accountCollection(first:1){edges{node{id}}} a: accountCollection(first:2){edges{node{id}}}}',
      ],
      ['a hundred levels of inline fragments', `{${'... on Query{'.repeat(100)}__typename${'}'.repeat(100)}}`],
      ['a hundred levels of inline fragments without a type', `{${'...{'.repeat(100)}__typename${'}'.repeat(100)}}`],
      ['fragments that spread each other side by side', `{...a ...b} fragment a on Query{...b} fragment b on Query{...a}`],
      ['a hundred thousand commas', `{${','.repeat(100_000)}__typename}`],
      ['a comment of a hundred kilobytes', `# ${'x'.repeat(100_000)}\n{__typename}`],
      ['a byte order mark in the middle', '{\ufeff__typename\ufeff}'],
      ['a block string of ten thousand lines', `{accountCollection(filter:{name:{eq:"""${' a\n'.repeat(10_000)}"""}}){edges{node{id}}}}`],
      ['a block string of blanks', `{accountCollection(filter:{name:{eq:"""${' '.repeat(60_000)}"""}}){edges{node{id}}}}`],
      ['an escape beyond Unicode', '{accountCollection(filter:{name:{eq:"\\u{110000}"}}){edges{node{id}}}}'],
      ['half of a pair', '{accountCollection(filter:{name:{eq:"\\uD83D"}}){edges{node{id}}}}'],
      ['a pair the wrong way round', '{accountCollection(filter:{name:{eq:"\\uDE00\\uD83D"}}){edges{node{id}}}}'],
      ['NUL in a string', '{accountCollection(filter:{name:{eq:"\\u0000"}}){edges{node{id}}}}'],
      ['a raw control character', '{accountCollection(filter:{name:{eq:"\u0001"}}){edges{node{id}}}}'],
      ['a name of a hundred kilobytes', `{${'a'.repeat(100_000)}}`],
      ['an alias of sixty kilobytes', `{${'a'.repeat(60_000)}: __typename}`],
      ['a type of many lists', `query($a: ${'['.repeat(200)}Int${']'.repeat(200)}){__typename}`],
      ['a default that refers to another variable', 'query($a: Int = $b, $b: Int = $a){__typename}'],
      ['one variable twice', 'query($a: Int, $a: Int){accountCollection(first:$a){edges{node{id}}}}'],
      ['four hundred directives on spreads', `{${'...@include(if:true){...@skip(if:false){__typename}} '.repeat(200)}}`],
      ['a schema instead of a question', 'type Query{a: Int}'],
      ['an extension instead of a question', 'extend type Query{a: Int}'],
      ['a subscription', 'subscription{accountCollection{edges{node{id}}}}'],
      ['several operations, one of which is broken', 'query a{__typename} query b{nothing'],
    ] as const,
    ([what, query]) => ({ id: 'GQ-115', what, send: ask(query), outcome: CLEAN, maxLoopDelay: 250 }),
  ),
  ...each(
    [
      ['a list ten thousand deep', `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
      ['an object five thousand deep', `{"a":${'{"and":['.repeat(5_000)}{}${']}'.repeat(5_000)}}`],
      ['an object of fifty thousand names', `{"a":{${Array.from({ length: 50_000 }, (_, i) => `"k${i}":1`).join(',')}}}`],
      ['a number of a hundred thousand digits', `{"a":${'9'.repeat(100_000)}}`],
      ['a text of half a mebibyte', `{"a":"${'x'.repeat(500_000)}"}`],
      ['fifty thousand variables nobody asked for', `{${Array.from({ length: 50_000 }, (_, i) => `"v${i}":1`).join(',')}}`],
      ['NUL and half a pair', '{"a":"\\u0000\\ud800"}'],
      ['exponents', '{"a":1e-999999999}'],
    ] as const,
    ([what, variables]) => ({
      id: 'GQ-116',
      what: `variables: ${what}`,
      send: raw(`{"query":"query($a: accountFilter){accountCollection(filter:$a){edges{node{id}}}}","variables":${variables}}`),
      outcome: either(REFUSED, CLEAN),
    }),
  ),
  ...each(
    [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=b',
      'application/json; charset=utf-16',
      'application/graphql+json',
      'application/JSON;;',
      'application/json, text/plain',
      '',
    ],
    (type) => ({
      id: 'GQ-117',
      what: `Content-Type: ${shown(type)} runs nothing that a page of another site could send`,
      play: async (world) => {
        const { answers } = await world.send(
          raw('{"query":"mutation{insertIntoaccountCollection(objects:[{name:\\"x\\"}]){affectedCount}}"}', type)(world),
        )
        expect(answers).toHaveLength(1)
        expect([200, 400, 406, 415]).toContain(answers[0]?.status)
        if (/^(text\/plain|application\/x-www|multipart)/.test(type)) expect(answers[0]?.status).toBeGreaterThanOrEqual(400)
      },
    }),
  ),
  {
    id: 'GQ-118',
    what: 'what is wrong is told in a few words, however much of it there is',
    play: async (world) => {
      const long = 'y'.repeat(30_000)
      for (const query of [
        `{${long}}`,
        `{accountCollection(${long}:1){edges{node{id}}}}`,
        `{...${long}}`,
        `{accountCollection(filter:{id:{eq:"${long}"}}){edges{node{id}}}}`,
        `query($a:${long}){__typename}`,
        `{__typename @${long}}`,
      ]) {
        const answer = await world.graphql(query)
        expect(answer.status).toBe(200)
        expect(graphqlBody(answer).errors?.length ?? 0).toBeLessThan(100)
        expect(answer.body.length, query.slice(0, 40)).toBeLessThan(100_000)
      }
    },
  },
  {
    id: 'GQ-119',
    what: 'a hundred questions that differ in blanks, names and order alone leave no more behind than one',
    send: ask(`{${Array.from({ length: 100 }, (_, i) => `q${i}:__typename`).join(',')}}`),
    outcome: graphqlData('a hundred names', (data) => Object.keys(data).length === 100),
  },
]
