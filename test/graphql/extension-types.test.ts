import { expect, test } from 'vitest'
import { graphqlWorld } from './graphql-world.ts'

const world = graphqlWorld(
  'extension_types',
  `
    create schema extensions;
    grant usage on schema extensions to public;
    create extension citext schema extensions;
    create table person (email extensions.citext primary key);
    create table post (id int primary key, author extensions.citext not null references person (email));
    insert into person values ('Ann@X.org');
    insert into post values (1, 'ann@x.org');
    grant select on person, post to anon;
  `,
)

test('types of a schema of extensions that is not shown are compared as they compare', async () => {
  expect(
    await world.graphql.ask(`{
      postCollection(filter: {author: {eq: "ANN@x.org"}}) { edges { node { id person { email } } } }
      personCollection { edges { node { postCollection { edges { node { id } } } } } }
      personByPk(email: "ann@X.ORG") { email }
    }`),
  ).toEqual({
    data: {
      postCollection: { edges: [{ node: { id: 1, person: { email: 'Ann@X.org' } } }] },
      personCollection: { edges: [{ node: { postCollection: { edges: [{ node: { id: 1 } }] } } }] },
      personByPk: { email: 'Ann@X.org' },
    },
  })
})
