import { createHash, type Hash } from 'node:crypto'
import type { Bytes } from '../../std/brand.ts'
import { TooManyBytes } from '../byte-store.ts'
import type { Fingerprint } from '../fingerprint.ts'

/** So much of a body as goes to the store in one call; kept until that has succeeded, so that the call can be repeated. */
export type Part = {
  readonly data: Buffer
  /** lower-case hex */
  readonly md5: string
  readonly isLast: boolean
}

/** Cuts a body into parts of one size, the last one being shorter; an empty body is one empty part. @throws TooManyBytes */
export async function* partsOf(
  chunks: AsyncIterable<Buffer>,
  fingerprint: Fingerprint,
  { partBytes, maxBytes }: { readonly partBytes: number; readonly maxBytes: Bytes },
): AsyncGenerator<Part, void, undefined> {
  let draft = newDraft()
  for await (const chunk of chunks) {
    fingerprint.add(chunk)
    if (fingerprint.size() > maxBytes) throw new TooManyBytes(`more than ${maxBytes} bytes`)
    for (let rest = chunk; rest.length > 0; ) {
      if (draft.size === partBytes) {
        yield finish(draft, false)
        draft = newDraft()
      }
      const piece = rest.subarray(0, partBytes - draft.size)
      draft.pieces.push(piece)
      draft.md5.update(piece)
      draft.size += piece.length
      rest = rest.subarray(piece.length)
    }
  }
  yield finish(draft, true)
}

type Draft = { size: number; readonly pieces: Buffer[]; readonly md5: Hash }

const newDraft = (): Draft => ({ size: 0, pieces: [], md5: createHash('md5') })

function finish({ pieces, size, md5 }: Draft, isLast: boolean): Part {
  const [only] = pieces
  const data = pieces.length === 1 && only ? only : Buffer.concat(pieces, size)
  pieces.length = 0
  return { data, md5: md5.digest('hex'), isLast }
}
