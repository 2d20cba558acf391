import { expect, test } from 'vitest'
import { graphqlWorld } from './graphql-world.ts'

const world = graphqlWorld(
  'out_arguments',
  `
    comment on schema public is '@graphql({"introspection": true})';
    create table book (id int primary key, title text);
    insert into book values (1, 'Emma'), (2, 'Ulysses');
    create function doubled(a int, out total int) language sql stable as 'select a * 2';
    create function swapped(out total int, a int, b int) language sql stable as 'select a - b';
    create function latest(out found book) language sql stable as 'select b from book b order by id desc limit 1';
    create function halves(a int, out first int, out second int) language sql stable as 'select a / 2, a - a / 2';
    create function titles() returns table (title text) language sql stable as 'select title from book';
    create function shout(b book, out text text) language sql stable as 'select upper(b.title)';
    create function rename(b int, inout title text) language sql volatile as 'update book set title = $2 where id = b returning book.title';
    grant all on book to anon;
  `,
)

test('a function with one OUT argument is a field of that type', async () => {
  expect(await world.graphql.ask('{ doubled(a: 4) swapped(a: 5, b: 3) latest { id title } }')).toEqual({
    data: { doubled: 8, swapped: 2, latest: { id: 2, title: 'Ulysses' } },
  })
  expect(await world.graphql.ask('{ bookCollection(first: 1) { edges { node { shout } } } }')).toEqual({
    data: { bookCollection: { edges: [{ node: { shout: 'EMMA' } }] } },
  })
  expect(await world.graphql.ask('mutation { rename(b: 1, title: "Persuasion") }')).toEqual({ data: { rename: 'Persuasion' } })
})

test('one that returns a record or a table is none', async () => {
  for (const field of ['halves(a: 3)', 'titles'])
    expect(await world.graphql.ask(`{ ${field} }`)).toMatchObject({ errors: [{ message: expect.stringContaining('Unknown field') }] })
})

test('introspection names the arguments that come in', async () => {
  const answer = await world.graphql.ask('{ __schema { queryType { fields { name args { name } type { name } } } } }')
  const { fields } = (answer.data as { __schema: { queryType: { fields: { name: string; args: unknown; type: unknown }[] } } }).__schema
    .queryType
  expect(fields.find(({ name }) => name === 'swapped')).toEqual({
    name: 'swapped',
    args: [{ name: 'a' }, { name: 'b' }],
    type: { name: 'Int' },
  })
})
