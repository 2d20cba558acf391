import { StoreFailed } from './byte-store.ts'
import type { FsFile } from './fs-io.ts'

const WRITE_BATCH = 256 * 1024

/**
 * Writes a file's bytes: `pieces`, which are here, and `rest`, which arrives. While one batch is on its way to the disk the next is received and hashed; so
 * at most two batches are in memory. `onChunk` sees each piece of the rest first and may refuse it.
 */
export async function writeChunks(
  handle: FsFile,
  pieces: readonly Buffer[],
  rest: AsyncIterable<Buffer>,
  onChunk: (chunk: Buffer) => void,
): Promise<void> {
  let batch = [...pieces]
  let batched = batch.reduce((sum, { length }) => sum + length, 0)
  let writing: Promise<void> = Promise.resolve()
  try {
    for await (const chunk of rest) {
      onChunk(chunk)
      batch.push(chunk)
      batched += chunk.length
      if (batched < WRITE_BATCH) continue
      await writing
      writing = writeAll(handle, batch)
      // it is awaited below; until then a failure must not count as unhandled
      writing.catch(() => undefined)
      batch = []
      batched = 0
    }
  } finally {
    // the handle must not be closed under a write
    await writing
  }
  if (batched > 0) await writeAll(handle, batch)
}

async function writeAll(handle: FsFile, batch: readonly Buffer[]): Promise<void> {
  let left = batch
  for (;;) {
    const [only] = left
    const { bytesWritten } = left.length === 1 && only ? await handle.write(only) : await handle.writev(left)
    left = behind(left, bytesWritten)
    if (left.length === 0) return
    // a full disk takes a part and says so only to the next write
    if (bytesWritten === 0) throw new StoreFailed('full', 'the file takes no more bytes')
  }
}

function behind(batch: readonly Buffer[], written: number): readonly Buffer[] {
  let skip = written
  let i = 0
  for (; i < batch.length; i++) {
    const length = batch[i]?.length ?? 0
    if (skip < length) break
    skip -= length
  }
  const rest = batch.slice(i)
  const [head] = rest
  return head && skip > 0 ? [head.subarray(skip), ...rest.slice(1)] : rest
}
