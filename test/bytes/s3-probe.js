// Puts a body of `size` bytes into a bucket, reads it back, and prints what the process needed at most. A process of its own, so that its
// memory is its own. Input: one JSON argument { place, size }.
import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { createS3ByteStore } from '../../dist/bytes/s3/s3.js'
import { bytes, milliseconds } from '../../dist/std/brand.js'

const { place, size } = JSON.parse(process.argv[2] ?? '')
const { store } = createS3ByteStore({ place, limits: { callMs: milliseconds(60_000), objectMs: milliseconds(600_000) } })
const signal = new AbortController().signal
const CHUNK = 64 * 1024

function* chunks() {
  const block = Buffer.alloc(CHUNK)
  for (let at = 0; at < size; at += CHUNK) {
    block.writeDoubleBE(at)
    yield Buffer.from(block.subarray(0, Math.min(CHUNK, size - at)))
  }
}

const version = /** @type {import('../../dist/bytes/byte-store.js').VersionId} */ (/** @type {string} */ (randomUUID()))
const began = performance.now()
const stored = await store.put(version, Readable.from(chunks(), { objectMode: false }), { maxBytes: bytes(size), signal })
const put = performance.now()
const hash = createHash('sha256')
for await (const chunk of await store.get(version, { range: null, signal })) hash.update(chunk)
const got = performance.now()
await store.delete([version])
const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : ''
console.log(
  JSON.stringify({
    size: stored.size,
    same: hash.digest('hex') === stored.sha256,
    peakMiB: Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? process.resourceUsage().maxRSS) / 1024),
    putSeconds: (put - began) / 1000,
    getSeconds: (got - put) / 1000,
  }),
)
await store.close()
