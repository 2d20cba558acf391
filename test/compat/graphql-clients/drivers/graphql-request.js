// @ts-nocheck: the packages are not the project's; this file runs where they are installed
import { GraphQLClient, gql } from 'graphql-request'

const { url, headers, documents, artist } = JSON.parse(process.env.GIVEN)

const told = (work) =>
  work.then(
    (data) => ({ data }),
    (error) => ({
      name: error.constructor.name,
      status: error.response?.status,
      errors: error.response?.errors?.map(({ message, extensions }) => ({ message, code: extensions?.code })),
    }),
  )

const out = {}
const client = new GraphQLClient(url, { headers })
out.nested = await client.request(gql`${documents.nested}`, { artist })
const names = []
let after = null
let pages = 0
do {
  const { artistCollection } = await client.request(documents.page, { after })
  names.push(...artistCollection.edges.map(({ node }) => node.name))
  after = artistCollection.pageInfo.hasNextPage ? artistCollection.pageInfo.endCursor : null
  pages++
} while (after)
out.walk = { pages, names }
out.insert = await client.request(documents.insert, { stars: 4, body: 'said by graphql-request' })
const [record] = out.insert.insertIntoReviewCollection.records
out.update = await client.request(documents.update, { id: record.id, stars: 5 })
out.remove = await client.request(documents.remove, { id: record.id })
out.unknownField = await told(client.request(documents.unknownField))
out.databaseError = await told(client.request(documents.insert, { stars: 11, body: 'too many' }))
out.partial = await new GraphQLClient(url, { headers, errorPolicy: 'all' })
  .rawRequest(`{ artistCollection(first: 1) { edges { node { name } } } nonsense }`)
  .then(({ data, errors }) => ({ data, errors: errors?.map(({ message }) => message) }))
out.byGet = await new GraphQLClient(url, { headers, method: 'GET', jsonSerializer: JSON }).request(documents.nested, { artist })
out.withoutKey = await told(new GraphQLClient(url).request(documents.nested, { artist }))
console.log(JSON.stringify(out))
