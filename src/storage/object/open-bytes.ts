import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type ByteRange, DamagedBytes, HeldBytes, LentBytes, NoSuchBytes, type VersionId } from '../../bytes/byte-store.ts'
import { bytes } from '../../std/brand.ts'
import type { StorageDeps } from '../deps.ts'
import { OTHER_CHECKSUM, SentBody } from './sent-body.ts'

export type StoredObject = { readonly version: VersionId; readonly size: number; readonly crc32: number | null }

/** Up to here an object is looked at whole before the first byte of the answer leaves; also when only a part of it was asked for. */
const LOOKED_AT_FIRST = 256 * 1024

/**
 * The bytes of an object, or a range of them, compared with the checksum that was taken when they were written. Of a small object nothing
 * leaves that does not fit; a large one breaks off before its last byte, so that no answer ends as if it were right. What is asked for as a part of
 * a large object is known by its length alone: a scrub looks at the rest. A large object that was compared just now, and was not written to since, is not
 * compared again.
 * `onDamage` hears why, once, also when the body has long been handed out.
 * @returns null when the store has no such version
 * @throws DamagedBytes
 */
export async function openBytes(
  deps: Pick<StorageDeps, 'bytes' | 'verifyReads' | 'keptBytes' | 'verifiedReads'>,
  { version, size, crc32: expected }: StoredObject,
  range: ByteRange | null,
  onDamage: (why: string) => void,
  signal: AbortSignal,
): Promise<Readable | Buffer | null> {
  const kept = deps.keptBytes.find(version)
  if (kept) return part(kept, range)
  const checksum = deps.verifyReads ? expected : null
  const isWhole = range === null || (range.first === 0 && range.last === size - 1)
  const isSmall = size <= LOOKED_AT_FIRST
  try {
    // by its length, so that a file which is shorter than its row says is an error and not a short answer
    const wanted = isWhole || isSmall ? everything(size) : range
    const body = await deps.bytes.get(version, { range: wanted, signal })
    if (isSmall) {
      const all = await gather(body, size)
      if (checksum !== null && crc32(all) !== checksum) throw new DamagedBytes(OTHER_CHECKSUM)
      if (body instanceof HeldBytes) deps.keptBytes.keep(version, all)
      return part(all, range)
    }
    const mark = body instanceof LentBytes ? `${body.mark} ${checksum}` : null
    const compared = isWhole && !deps.verifiedReads.has(version, mark) ? checksum : null
    const checked = new SentBody(body, isWhole ? size : lengthOf(range), compared)
    if (compared !== null) checked.once('end', () => deps.verifiedReads.note(version, mark))
    checked.once('error', (error) => {
      if (error instanceof DamagedBytes) onDamage(error.message)
    })
    return checked
  } catch (error) {
    if (error instanceof NoSuchBytes) return null
    if (error instanceof DamagedBytes) onDamage(error.message)
    throw error
  }
}

const part = (all: Buffer, range: ByteRange | null): Buffer => (range === null ? all : all.subarray(range.first, range.last + 1))

const lengthOf = ({ first, last }: ByteRange): number => last - first + 1

const everything = (size: number): ByteRange | null => (size === 0 ? null : { first: bytes(0), last: bytes(size - 1) })

/** The common case is one chunk that is there already. */
async function gather(body: Readable, size: number): Promise<Buffer> {
  const first = body instanceof HeldBytes ? body.whole : (body.read() as Buffer | null)
  if (first?.length === size) {
    body.destroy()
    return first
  }
  const chunks = first === null ? [] : [first]
  let length = first?.length ?? 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length > size) break
  }
  if (length !== size)
    throw new DamagedBytes(length > size ? `there are more than ${size} bytes` : `there are only ${length} bytes of ${size}`)
  return Buffer.concat(chunks, size)
}
