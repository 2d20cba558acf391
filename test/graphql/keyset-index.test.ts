import { beforeAll, describe, expect, test } from 'vitest'
import { withClient } from '../support/postgres.ts'
import { answering, explained, type PlanNode, within } from './explained.ts'
import { graphqlWorld } from './graphql-world.ts'

const ROWS = 40_000

const world = graphqlWorld(
  'keyset',
  `
    create table post (id int primary key, topic int not null, rank int not null, late int not null, shown int, gone int, pinned int, kind int not null);
    insert into post
    select i, i / 40, i * 7919 % 1000, i / 30, case when i % 8 > 0 then i / 20 end, case when i % 8 = 0 then i / 20 end, case when i % 8 = 0 then i / 20 end, i % 3
    from generate_series(1, ${ROWS}) i;
    create index up on post (topic, rank, id);
    create index mixed on post (topic, rank desc, id);
    create index placed on post (late desc nulls last, id);
    create index half_known on post (shown, id);
    create index of_kind on post (kind, shown desc nulls last, id);
    create index few_known on post (gone desc nulls last);
    create index pinned_only on post (pinned desc nulls last) where pinned is not null;
    create index of_others on post (late desc) where topic < 3;
    create table topic (id int primary key, title text);
    insert into topic select i, 'topic ' || i from generate_series(0, ${ROWS} / 40) i;
    create table note (id int primary key, post int not null);
    create index on note (post);
    create view listed as
      select p.id, p.shown as seen, p.late, t.title, (select count(*) from note n where n.post = p.id) as notes
      from post p left join topic t on t.id = p.topic;
    comment on view listed is '@graphql({"primary_key_columns": ["id"]})';
    create view summed as select topic, count(*) as n, max(late) as late from post group by topic;
    comment on view summed is '@graphql({"primary_key_columns": ["topic"]})';
    create table pair (a int, b int);
    create table held (id int primary key, pair pair);
    create index on held (pair);
    insert into held values (1, (1, 1)), (2, (1, null)), (3, null), (4, (2, null)), (5, (null, null)), (6, null);
    grant select on post, held, listed, summed to anon;
  `,
)
beforeAll(() => withClient(world.database.url, (client) => client.query('vacuum analyze post')))

const ask = (query: string) => answering<{ readonly postCollection: Page }>(world.graphql, query)
type Page = { readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: number } }[] }

/** How the page itself is read, under the node that limits it. */
function pageIn(nodes: readonly PlanNode[]): readonly string[] {
  const limit = nodes.find((node) => node['Node Type'] === 'Limit')
  if (!limit) throw new Error('nothing limits the page')
  return within(limit).map((node) => node['Node Type'])
}

const ORDERS = [
  ['one way up', '{topic: AscNullsLast}, {rank: AscNullsLast}, {id: AscNullsLast}'],
  ['one way down', '{topic: DescNullsFirst}, {rank: DescNullsFirst}, {id: DescNullsFirst}'],
  ['both ways', '{topic: AscNullsLast}, {rank: DescNullsFirst}, {id: AscNullsLast}'],
  ['by the key', '{id: AscNullsLast}'],
  ['down with nulls last, where there are none', '{topic: DescNullsLast}, {rank: DescNullsLast}, {id: DescNullsLast}'],
  ['up with nulls first, where there are none', '{topic: AscNullsFirst}, {rank: AscNullsFirst}, {id: AscNullsFirst}'],
  ['as an index says that places nulls, where there are none', '{late: DescNullsLast}, {id: AscNullsLast}'],
] as const

describe.each(ORDERS)('pages ordered %s', (_, order) => {
  const page = (from: string) => `{ postCollection(orderBy: [${order}], ${from}) { edges { cursor node { id } } } }`
  const cursorIn = async (at: number) => {
    const { data } = await ask(page(`first: 1, offset: ${at - 1}`))
    return data.postCollection.edges[0]?.cursor
  }

  test.each([
    ['after', 'first'],
    ['before', 'last'],
  ])('%s a cursor come from the index, and a page far in costs what the first costs', async (side, size) => {
    const near = page(`${size}: 20, ${side}: "${await cursorIn(side === 'after' ? 1 : ROWS)}"`)
    const far = page(`${size}: 20, ${side}: "${await cursorIn(ROWS / 2)}"`)
    const [first, deep] = [await ask(near), await ask(far)]
    for (const { data } of [first, deep]) expect(data.postCollection.edges).toHaveLength(20)
    const [cheap, asCheap] = [await explained(world.database, first.statement), await explained(world.database, deep.statement)]
    for (const { nodes } of [cheap, asCheap]) expect(pageIn(nodes)).toEqual(['Limit', expect.stringMatching(/^Index (Only )?Scan$/)])
    // a block for each of the 20 rows at worst, and the way down the index; half of the table has hundreds
    for (const { blocks } of [cheap, asCheap]) expect(blocks).toBeLessThan(50)
  })
})

/** Every place a page can be cut at: among values, at the last of them, among nulls. */
const CUTS = [
  1,
  ROWS / 10,
  ROWS / 8 - 1,
  ROWS / 8,
  ROWS / 8 + 1,
  ROWS / 2,
  (ROWS * 7) / 8 - 1,
  (ROWS * 7) / 8,
  (ROWS * 7) / 8 + 1,
  ROWS - 50,
]

describe.each([
  ['shown', ''],
  ['shown', 'filter: {kind: {eq: 1}}, '],
  ['gone', ''],
  ['pinned', ''],
] as const)('pages ordered by "%s", which may be null (%s)', (column, filter) => {
  const rows = filter ? Math.floor(ROWS / 3) : ROWS
  const cuts = CUTS.map((cut) => Math.min(cut, rows - 50))

  test.each(['AscNullsLast', 'AscNullsFirst', 'DescNullsFirst', 'DescNullsLast'])(
    '%s come from an index wherever they are cut',
    async (direction) => {
      const page = (from: string) =>
        `{ postCollection(${filter}orderBy: [{${column}: ${direction}}], ${from}) { edges { cursor node { id } } } }`
      const { rows: all } = await withClient(world.database.url, (client) =>
        client.query<{ id: number }>(
          `select id from post where ${filter ? 'kind = 1' : 'true'} order by ${column} ${direction.replace('Nulls', ' nulls ')}, id`,
        ),
      )
      const ids = all.map(({ id }) => id)
      for (const cut of cuts) {
        const { data } = await ask(page(`first: 1, offset: ${cut - 1}`))
        const cursor = data.postCollection.edges[0]?.cursor
        const after = await ask(page(`first: 20, after: "${cursor}"`))
        expect(after.data.postCollection.edges.map(({ node }) => node.id)).toEqual(ids.slice(cut, cut + 20))
        const before = await ask(page(`last: 20, before: "${cursor}"`))
        expect(before.data.postCollection.edges.map(({ node }) => node.id)).toEqual(ids.slice(Math.max(0, cut - 21), cut - 1))
        for (const { statement } of [after, before])
          expect((await explained(world.database, statement)).blocks, statement.text).toBeLessThan(200)
      }
      for (const from of ['first: 20', 'last: 20']) {
        const edge = await ask(page(from))
        expect(edge.data.postCollection.edges.map(({ node }) => node.id)).toEqual(from === 'first: 20' ? ids.slice(0, 20) : ids.slice(-20))
        expect((await explained(world.database, edge.statement)).blocks, edge.statement.text).toBeLessThan(200)
      }
    },
  )
})

describe('pages of a view', () => {
  const page = async (view: string, asked: string) => {
    const { data, statement } = await answering<Record<string, Page>>(
      world.graphql,
      `{ ${view}Collection(${asked}) { edges { cursor node { ${view === 'summed' ? 'id: topic' : 'id title notes'} } } } }`,
    )
    return { edges: data[`${view}Collection`]?.edges ?? [], ...(await explained(world.database, statement)) }
  }
  const ids = (order: string) =>
    withClient(world.database.url, async (client) =>
      (await client.query<{ id: number }>(`select id from listed order by ${order}, id`)).rows.map(({ id }) => id),
    )

  test.each([
    ['late', 'DescNullsLast'],
    ['late', 'AscNullsFirst'],
    ['seen', 'DescNullsLast'],
    ['seen', 'AscNullsFirst'],
    ['id', 'AscNullsLast'],
  ])('ordered by "%s" %s come from the indexes of its tables', async (column, direction) => {
    const all = await ids(`${column} ${direction.replace('Nulls', ' nulls ')}`)
    const order = `orderBy: [{${column}: ${direction}}]`
    const first = await page('listed', `first: 20, ${order}`)
    expect(first.edges.map(({ node }) => node.id)).toEqual(all.slice(0, 20))
    const next = await page('listed', `first: 20, ${order}, after: "${first.edges.at(-1)?.cursor}"`)
    expect(next.edges.map(({ node }) => node.id)).toEqual(all.slice(20, 40))
    for (const { blocks } of [first, next]) expect(blocks).toBeLessThan(200)
  })

  test('that counts are read once: no index has its rows', async () => {
    const { edges, nodes } = await page('summed', 'first: 3, orderBy: [{late: DescNullsLast}]')
    expect(edges).toHaveLength(3)
    expect(nodes.filter((node) => node['Relation Name'] === 'post')).toHaveLength(1)
  })
})

describe('pages ordered by a row', () => {
  test.each(['AscNullsLast', 'AscNullsFirst', 'DescNullsFirst', 'DescNullsLast'])(
    '%s hold those whose fields are null in part or all',
    async (direction) => {
      const { rows } = await withClient(world.database.url, (client) =>
        client.query<{ id: number }>(`select id from held order by pair ${direction.replace('Nulls', ' nulls ')}, id`),
      )
      const page = (from: string) =>
        answering<{ readonly heldCollection: Page }>(
          world.graphql,
          `{ heldCollection(orderBy: [{pair: ${direction}}], ${from}) { edges { cursor node { id } } } }`,
        )
      const ids = rows.map(({ id }) => id)
      const idsOf = ({ data }: Awaited<ReturnType<typeof page>>) => data.heldCollection.edges.map(({ node }) => node.id)
      expect(idsOf(await page('first: 10'))).toEqual(ids)
      expect(idsOf(await page('last: 10'))).toEqual(ids)
      expect(idsOf(await page('first: 2, offset: 2'))).toEqual(ids.slice(2, 4))
    },
  )
})

test('an offset beyond everything is an empty page', async () => {
  for (const direction of ['AscNullsFirst', 'DescNullsLast']) {
    const { data } = await ask(
      `{ postCollection(orderBy: [{shown: ${direction}}], first: 5, offset: 9223372036854775807) { edges { node { id } } } }`,
    )
    expect(data.postCollection.edges).toEqual([])
  }
})

test('a filter on the column leaves no nulls to think of', async () => {
  const asked = 'first: 20, filter: {shown: {lt: 1000}}, orderBy: [{shown: DescNullsLast}, {id: DescNullsLast}]'
  const { statement } = await ask(`{ postCollection(${asked}) { edges { cursor node { id } } } }`)
  expect(pageIn((await explained(world.database, statement)).nodes)).toEqual(['Limit', expect.stringMatching(/^Index (Only )?Scan$/)])
})

test('the values of a unique index leave nothing to sort', async () => {
  const { statement } = await ask('{ postCollection(filter: {id: {eq: 7}}) { edges { node { id } } } }')
  expect(statement.text).not.toContain('order by')
  expect((await ask('{ postCollection(filter: {id: {in: [7, 8]}}) { edges { node { id } } } }')).statement.text).toContain('order by')
})
