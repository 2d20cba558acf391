// @ts-nocheck: the packages are not the project's; this file runs where they are installed
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client/core'
import { relayStylePagination } from '@apollo/client/utilities'

const { url, headers, documents, artist } = JSON.parse(process.env.GIVEN)

const clientWith = (options) =>
  new ApolloClient({
    link: new HttpLink({ uri: url, headers, ...options }),
    cache: new InMemoryCache({
      typePolicies: {
        Query: { fields: { artistCollection: relayStylePagination(['filter', 'orderBy']) } },
        Review: { keyFields: ['nodeId'] },
        Artist: { keyFields: ['nodeId'] },
      },
    }),
    defaultOptions: { query: { errorPolicy: 'none' } },
  })
const told = (work) =>
  work.then(
    ({ data }) => ({ data }),
    (error) => ({
      name: error.name,
      status: error.statusCode,
      errors: error.errors?.map(({ message, extensions }) => ({ message, code: extensions?.code })),
    }),
  )

const out = {}
const client = clientWith({})
out.nested = (await client.query({ query: gql(documents.nested), variables: { artist } })).data

// the cache itself puts the pages together
let after = null
let pages = 0
const page = gql(documents.page)
do {
  const { data } = await client.query({ query: page, variables: { after }, fetchPolicy: 'network-only' })
  after = data.artistCollection.pageInfo.hasNextPage ? data.artistCollection.pageInfo.endCursor : null
  pages++
} while (after)
const whole = client.readQuery({ query: page, variables: { after: null } })
out.walk = { pages, names: whole.artistCollection.edges.map(({ node }) => node.name) }

const insert = await client.mutate({ mutation: gql(documents.insert), variables: { stars: 4, body: 'said by Apollo' } })
const [record] = insert.data.insertIntoReviewCollection.records
out.insert = insert.data
await client.query({ query: gql(documents.review), variables: { nodeId: record.nodeId } })
out.update = (await client.mutate({ mutation: gql(documents.update), variables: { id: record.id, stars: 5 } })).data
// what the mutation answered has changed the cached row: no request
out.cached = client.readQuery({ query: gql(documents.review), variables: { nodeId: record.nodeId } })
out.remove = (await client.mutate({ mutation: gql(documents.remove), variables: { id: record.id } })).data

out.unknownField = await told(client.query({ query: gql(documents.unknownField) }))
out.databaseError = await told(client.mutate({ mutation: gql(documents.insert), variables: { stars: 11, body: 'too many' } }))
out.byGet = (await clientWith({ useGETForQueries: true }).query({ query: gql(documents.nested), variables: { artist } })).data
out.withoutKey = await told(clientWith({ headers: {} }).query({ query: gql(documents.nested), variables: { artist } }))
console.log(JSON.stringify(out))
