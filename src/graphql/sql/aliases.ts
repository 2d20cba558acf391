/** Relation aliases, counted: the same plan gives the same text. */
export type Aliases = { readonly next: () => string }

export function createAliases(): Aliases {
  let count = 0
  return { next: () => `t${++count}` }
}
