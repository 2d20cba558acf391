import { afterAll, beforeAll } from 'vitest'
import { type FreshDatabase, freshDatabase, withClient } from '../support/postgres.ts'
import { CREATE_ROLES } from '../support/roles.ts'
import { type GraphqlOn, type GraphqlOnOptions, graphqlOn } from './graphql-on.ts'

/** There while tests run. */
export type GraphqlWorld = { readonly database: FreshDatabase; readonly graphql: GraphqlOn }

/** For the tests of a file: a database with the callers' roles, the extension and what `sql` makes, and GraphQL on it. */
export function graphqlWorld(name: string, sql: string, options?: GraphqlOnOptions): GraphqlWorld {
  let database: FreshDatabase
  let graphql: GraphqlOn
  beforeAll(async () => {
    database = await freshDatabase(name)
    await withClient(database.url, (client) => client.query(`${CREATE_ROLES} create extension stowage_graphql; ${sql}`))
    graphql = graphqlOn(database.url, options)
  })
  afterAll(async () => {
    await graphql.end()
    await database.drop()
  })
  return {
    get database() {
      return database
    },
    get graphql() {
      return graphql
    },
  }
}
