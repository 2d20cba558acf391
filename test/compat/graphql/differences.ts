/**
 * Cases that we answer otherwise than pg_graphql, each with the reason. Only cases that the record marks as a quirk of the peer
 * may stand here; a case that is answered as recorded may not. docs/compatibility.md tells this list.
 */
export const DIFFERENCES: { readonly [caseName: string]: string } = {}
