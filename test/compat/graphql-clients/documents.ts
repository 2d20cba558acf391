/** What applications ask, written once for all clients. Named operations: code generators want them. */
export const DOCUMENTS = {
  nested: `query Nested($artist: String!) {
  artistCollection(filter: { name: { eq: $artist } }) {
    edges { cursor node { ...ArtistParts } }
  }
}
fragment ArtistParts on Artist {
  nodeId
  name
  albumCollection(first: 2, orderBy: [{ title: AscNullsLast }]) {
    edges { node { nodeId title artist { nodeId name } } }
  }
}`,
  page: `query Page($after: Cursor) {
  artistCollection(first: 30, after: $after, orderBy: [{ name: AscNullsLast }]) {
    edges { cursor node { nodeId name } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`,
  review: `query Review($nodeId: ID!) { node(nodeId: $nodeId) { nodeId ... on Review { id stars body } } }`,
  insert: `mutation Insert($stars: Int!, $body: String) {
  insertIntoReviewCollection(objects: [{ stars: $stars, body: $body, artistId: 1 }]) {
    affectedCount
    records { nodeId id stars body artist { nodeId name } }
  }
}`,
  update: `mutation Update($id: BigInt!, $stars: Int!) {
  updateReviewCollection(set: { stars: $stars }, filter: { id: { eq: $id } }) { affectedCount records { nodeId id stars } }
}`,
  remove: `mutation Remove($id: BigInt!) {
  deleteFromReviewCollection(filter: { id: { eq: $id } }) { affectedCount records { nodeId } }
}`,
} as const

/** Refused by the schema; a code generator would not have it. */
export const UNKNOWN_FIELD = `query Wrong { artistCollection(first: 1) { edges { node { nonsense } } } }`
