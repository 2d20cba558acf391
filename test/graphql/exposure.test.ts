import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, isObjectType, validateSchema } from 'graphql'
import { beforeAll, describe, expect, test } from 'vitest'
import { withClient } from '../support/postgres.ts'
import { graphqlWorld } from './graphql-world.ts'

const world = graphqlWorld(
  'exposure',
  `
    comment on schema public is '@graphql({"introspection": true})';
    create table person (id int primary key, phone text);
    insert into person values (1, '555'), (2, null);
    create view reachable as select id, phone from person where phone is not null;
    create view bystander as select id from person;
    create table poll (id int primary key, person_id int references person);
    insert into poll values (10, 1), (20, 2);
    create function author(p poll) returns reachable language sql stable as 'select r from reachable r where r.id = p.person_id';
    create function first_author(p poll) returns setof reachable rows 1 language sql stable as 'select r from reachable r where r.id = p.person_id';
    create function authors(p poll) returns setof reachable language sql stable as 'select r from reachable r';
    create function digits(r reachable) returns int language sql stable as 'select length(r.phone)';
    create function anybody() returns reachable language sql stable as 'select r from reachable r limit 1';

    create view "Cursor" as select 1 as n;
    create view "PageInfo" as select 1 as n;
    create view "pollFilter" as select 1 as n;
    create view odd as select 1 as "my column";
    create view secret_row as select 1 as n;
    create function of_cursor(p poll) returns "Cursor" language sql stable as 'select c from "Cursor" c';
    create function of_page_info(p poll) returns "PageInfo" language sql stable as 'select c from "PageInfo" c';
    create function of_filter(p poll) returns "pollFilter" language sql stable as 'select c from "pollFilter" c';
    create function of_odd(p poll) returns odd language sql stable as 'select c from odd c';
    create function of_secret(p poll) returns secret_row language sql stable as 'select c from secret_row c';
    revoke execute on function of_secret from public;

    create table child (id int primary key, poll_id int references poll, x int);
    create unique index on child (poll_id) include (x);
    create table only_child (id int primary key, poll_id int unique references poll, x int);

    create type size as enum ('S', 'M');
    create domain any_size as size;
    create domain numbers as int[];
    create domain more_numbers as numbers;
    create table shelf (id int primary key, plain numbers, nested more_numbers);
    create function of_size(s any_size) returns int language sql stable as 'select 1';
    create function a_size() returns any_size language sql stable as $$ select 'S'::any_size $$;
    grant select on all tables in schema public to anon;
  `,
)

const introspected = async () => {
  const { data } = await world.graphql.ask(getIntrospectionQuery())
  return buildClientSchema(data as IntrospectionQuery)
}
let fieldsOf: (type: string) => readonly string[]
let types: readonly string[]
beforeAll(async () => {
  const schema = await introspected()
  expect(validateSchema(schema)).toEqual([])
  types = Object.keys(schema.getTypeMap())
  fieldsOf = (name) => {
    const type = schema.getType(name)
    return isObjectType(type) ? Object.keys(type.getFields()) : []
  }
})

describe('a row of a view without a key, which a function of a row returns', () => {
  const asked = (field: string) => world.graphql.ask(`{ pollCollection { edges { node { ${field} } } } }`)

  test.each(['author', 'first_author'])('is read as that field: %s', async (field) => {
    expect(await asked(`id ${field} { __typename id phone digits }`)).toEqual({
      data: {
        pollCollection: {
          edges: [
            { node: { id: 10, [field]: { __typename: 'reachable', id: 1, phone: '555', digits: 3 } } },
            { node: { id: 20, [field]: null } },
          ],
        },
      },
    })
  })

  test('is no Node', async () => {
    expect(await asked('author { id ... on Node { phone } ... on reachable { digits } }')).toEqual({
      data: { pollCollection: { edges: [{ node: { author: { id: 1, digits: 3 } } }, { node: { author: null } }] } },
    })
  })

  test('has no nodeId, no collection, and pages of them are none', async () => {
    expect(await asked('author { nodeId }')).toMatchObject({ errors: [{ message: `Unknown field 'nodeId' on type 'reachable'` }] })
    expect(await asked('authors { edges { node { id } } }')).toMatchObject({
      errors: [{ message: `Unknown field 'authors' on type 'poll'` }],
    })
    for (const field of ['reachableCollection { edges { node { id } } }', 'anybody { id }'])
      expect(await world.graphql.ask(`{ ${field} }`)).toMatchObject({ errors: [{ message: expect.stringContaining('Unknown field') }] })
  })

  test('is a type that tools can read, and other views without a key are none', () => {
    expect(fieldsOf('reachable').toSorted()).toEqual(['digits', 'id', 'phone'])
    expect(fieldsOf('poll')).toContain('author')
    expect(types.filter((name) => /reachable|bystander|odd|secret/.test(name))).toEqual(['reachable'])
    expect(fieldsOf('poll').filter((name) => name.startsWith('of_'))).toEqual([])
    expect(fieldsOf('PageInfo')).toContain('hasNextPage')
  })

  test('is hidden with its view', async () => {
    await withClient(world.database.url, (client) => client.query('revoke select on reachable from anon'))
    expect(await asked('author { id }')).toMatchObject({ errors: [{ message: `Unknown field 'author' on type 'poll'` }] })
    await withClient(world.database.url, (client) => client.query('grant select on reachable to anon'))
  })
})

test('a relation along a unique index with included columns has many rows, as in pg_graphql', () => {
  expect(fieldsOf('poll')).toContain('childCollection')
  expect(fieldsOf('poll')).toContain('only_child')
})

test('a domain over a domain over an array is as little a field as one over an array', () => {
  expect(fieldsOf('shelf')).toEqual(['nodeId', 'id'])
})

test('functions that take or return a domain over an enum are none, as those of enums', () => {
  for (const name of ['of_size', 'a_size']) expect(fieldsOf('Query')).not.toContain(name)
})
