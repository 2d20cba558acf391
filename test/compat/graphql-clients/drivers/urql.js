// @ts-nocheck: the packages are not the project's; this file runs where they are installed
import { Client, cacheExchange, fetchExchange, gql } from '@urql/core'

const { url, headers, documents, artist } = JSON.parse(process.env.GIVEN)

const methods = []
const clientWith = (own, options = {}) =>
  new Client({
    url,
    exchanges: [cacheExchange, fetchExchange],
    fetchOptions: { headers: own },
    fetch: (address, init) => {
      methods.push(init?.method ?? 'GET')
      return fetch(address, init)
    },
    ...options,
  })
const told = async (work) => {
  const { data, error } = await work
  return {
    data,
    name: error?.name,
    network: error?.networkError?.message,
    errors: error?.graphQLErrors.map(({ message, extensions }) => ({ message, code: extensions?.code })),
  }
}

const out = {}
const client = clientWith(headers)
const query = async (document, variables) => {
  const { data, error } = await client.query(gql(document), variables)
  if (error) throw error
  return data
}
const mutate = async (document, variables) => {
  const { data, error } = await client.mutation(gql(document), variables)
  if (error) throw error
  return data
}
out.nested = await query(documents.nested, { artist })
const names = []
let after = null
let pages = 0
do {
  const { artistCollection } = await query(documents.page, { after })
  names.push(...artistCollection.edges.map(({ node }) => node.name))
  after = artistCollection.pageInfo.hasNextPage ? artistCollection.pageInfo.endCursor : null
  pages++
} while (after)
out.walk = { pages, names }
out.queryMethods = [...new Set(methods)]
out.insert = await mutate(documents.insert, { stars: 4, body: 'said by urql' })
const [record] = out.insert.insertIntoReviewCollection.records
out.update = await mutate(documents.update, { id: record.id, stars: 5 })
out.remove = await mutate(documents.remove, { id: record.id })
out.unknownField = await told(client.query(gql(documents.unknownField), {}))
out.databaseError = await told(client.mutation(gql(documents.insert), { stars: 11, body: 'too many' }))
out.byPost = (await clientWith(headers, { preferGetMethod: false }).query(gql(documents.nested), { artist })).data
out.withoutKey = await told(clientWith({}).query(gql(documents.nested), { artist }))
console.log(JSON.stringify(out))
