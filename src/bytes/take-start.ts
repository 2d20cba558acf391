/** The beginning of a body; `rest` is null when that was all of it. */
export type Start = {
  readonly pieces: readonly Buffer[]
  readonly rest: AsyncGenerator<Buffer, void, undefined> | null
}

/** Takes a body until it ends or is longer than `most`; `onChunk` sees each piece first and may refuse it. */
export async function takeStart(
  chunks: AsyncGenerator<Buffer, void, undefined>,
  most: number,
  onChunk: (chunk: Buffer) => void,
): Promise<Start> {
  const pieces: Buffer[] = []
  let size = 0
  for (;;) {
    const { done, value } = await chunks.next()
    if (done) return { pieces, rest: null }
    try {
      onChunk(value)
    } catch (error) {
      await chunks.return()
      throw error
    }
    pieces.push(value)
    size += value.length
    if (size > most) return { pieces, rest: chunks }
  }
}
