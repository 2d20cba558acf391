// Hooks for Node's module loader: replaces parts of the service's modules while they are read.

/** @typedef {{ readonly file: string, readonly find: string, readonly put: string }} Edit */

/** @type {readonly Edit[]} */
let edits = []

/** @param {readonly Edit[]} given */
export const initialize = (given) => {
  edits = given
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context)
  const own = edits.filter(({ file }) => url.endsWith(`/dist/${file}`))
  if (own.length === 0) return loaded
  let source = String(loaded.source)
  for (const { file, find, put } of own) {
    if (!source.includes(find)) throw new Error(`the sabotage does not fit ${file} any more: ${find}`)
    source = source.replace(find, () => put)
  }
  return { ...loaded, source }
}
