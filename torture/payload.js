import { createHash } from 'node:crypto'
import { createRandom } from './random.js'

/**
 * Bytes that say what they are: every block of 4 KiB begins with a line that names the operation that wrote it, the key, the owner, the
 * length of the whole, its own number and the seed; seeded noise follows. So whatever is read is recognised from its bytes alone.
 *
 * @typedef {{ readonly operation: string, readonly key: string, readonly owner: string, readonly size: number, readonly seed: number }} Label
 */

export const BLOCK = 4096
/** no label is longer, so that the smallest payload still holds a whole one */
export const SMALLEST = 160

const NOISE = makeNoise()

function makeNoise() {
  const random = createRandom('noise')
  const noise = Buffer.allocUnsafe(2 * BLOCK + 8192)
  for (let at = 0; at < noise.length; at += 4) noise.writeUInt32LE(random.below(2 ** 32), at)
  return noise
}

/**
 * @param {Label} label
 * @returns {Buffer}
 */
export function makePayload(label) {
  const payload = Buffer.allocUnsafe(label.size)
  for (let block = 0; block * BLOCK < label.size; block++) {
    const start = block * BLOCK
    const end = Math.min(start + BLOCK, label.size)
    const written = payload.write(headOf(label, block), start, end - start, 'latin1')
    const offset = Math.imul(label.seed + block, 0x9e3779b1) >>> 19
    NOISE.copy(payload, start + written, offset, offset + end - start - written)
  }
  return payload
}

/** @param {Label} label @param {number} block */
const headOf = ({ operation, key, owner, size, seed }, block) => `STOWED ${operation} ${key} ${owner} ${size} ${block} ${seed}\n`

/** @param {Buffer} bytes lower-case hex of their MD5, as the ETag has it */
export const md5 = (bytes) => createHash('md5').update(bytes).digest('hex')

/**
 * What these bytes are, or what is wrong with them.
 * @param {Buffer} bytes
 * @returns {{ readonly label: Label } | { readonly fault: string }}
 */
export function readPayload(bytes) {
  const label = labelAt(bytes, 0)
  if (!label) return { fault: `${bytes.length} bytes that nobody wrote: ${JSON.stringify(bytes.toString('latin1', 0, 40))}` }
  if (label.block !== 0) return { fault: `shifted: begins with block ${label.block} of operation ${label.operation}` }
  if (label.size !== bytes.length) return { fault: `torn: ${bytes.length} of ${label.size} bytes of operation ${label.operation}` }
  if (makePayload(label).equals(bytes)) return { label }
  for (let block = 0; block * BLOCK < bytes.length; block++) {
    const found = labelAt(bytes, block * BLOCK)
    if (!found) return { fault: `block ${block} of operation ${label.operation} is damaged` }
    if (found.operation !== label.operation) return { fault: `mixed: block ${block} of ${label.operation} is of ${found.operation}` }
  }
  return { fault: `noise of operation ${label.operation} is damaged` }
}

/**
 * @param {Buffer} bytes
 * @param {number} start
 * @returns {Label & { readonly block: number } | null}
 */
function labelAt(bytes, start) {
  const line = bytes.toString('latin1', start, Math.min(start + SMALLEST, bytes.length)).split('\n', 1)[0] ?? ''
  const [magic, operation = '', key = '', owner = '', size, block, seed] = line.split(' ')
  if (magic !== 'STOWED' || seed === undefined) return null
  return { operation, key, owner, size: Number(size), block: Number(block), seed: Number(seed) }
}
