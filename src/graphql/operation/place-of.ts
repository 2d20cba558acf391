import type { ASTNode } from 'graphql'

/** Where a node starts, 1-based, for `errors[].locations`. Documents are always parsed with locations. */
export function placeOf(node: ASTNode): { readonly line: number; readonly column: number } {
  const token = node.loc?.startToken
  return { line: token?.line ?? 1, column: token?.column ?? 1 }
}
