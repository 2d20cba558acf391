/**
 * @typedef {{ name: string, query: string, variables: Record<string, unknown> }} Question
 */

/** Asked as `anon` over tables with row level security; the data is the demo's music shop. @type {readonly Question[]} */
export const QUESTIONS = [
  {
    name: 'GraphQL: one row by key',
    query: `query One($id: Int!) {
  trackCollection(filter: { track_id: { eq: $id } }, first: 1) { edges { node { track_id name milliseconds unit_price } } }
}`,
    variables: { id: 1713 },
  },
  {
    name: 'GraphQL: three levels, 20 x 5 x 5',
    query: `query Nested($artists: Int!) {
  artistCollection(first: $artists, orderBy: [{ artist_id: AscNullsLast }]) {
    edges {
      node {
        name
        albumCollection(first: 5, orderBy: [{ album_id: AscNullsLast }]) {
          edges {
            node {
              title
              trackCollection(first: 5, orderBy: [{ track_id: AscNullsLast }]) {
                edges { node { name milliseconds genre { name } } }
              }
            }
          }
        }
      }
    }
  }
}`,
    variables: { artists: 20 },
  },
  {
    name: 'GraphQL: 30 rows of 8 columns',
    query: `query List($first: Int!) {
  trackCollection(first: $first, orderBy: [{ track_id: AscNullsLast }]) {
    edges { node { track_id name album_id genre_id composer milliseconds bytes unit_price } }
  }
}`,
    variables: { first: 30 },
  },
]

/** The size of a small file: a thumbnail, an avatar, a message. */
export const FILE_BYTES = 4096
