// Run under strace: puts one version into a store that knows its folders already, between two calls that mark the place.
import { existsSync } from 'node:fs'
import { Readable } from 'node:stream'
import { createFsByteStore } from '../../dist/bytes/fs.js'
import { createWriteThreads } from '../../dist/bytes/write-threads.js'

const [folder = '', how] = process.argv.slice(2)
const store = createFsByteStore({ folder, maxConcurrentSyncs: 2, ...(how === 'threads' ? { threads: createWriteThreads(2) } : {}) })
const put = (/** @type {string} */ id) =>
  store.put(/** @type {any} */ (`abcd0000-0000-4000-8000-00000000000${id}`), Readable.from([Buffer.alloc(4096)]), {
    maxBytes: /** @type {any} */ (5000),
    signal: new AbortController().signal,
  })
await put('1')
existsSync('/mark/begin')
await put('2')
existsSync('/mark/end')
await store.close()
