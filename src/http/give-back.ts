import type { ServerResponse } from 'node:http'
import { answerMemory } from '../std/answer-memory.ts'

/** Gives memory back when all of an answer has gone out; of one that did not go out, the socket may hold something still. */
export function giveBackWhenSent(response: ServerResponse, pieces: readonly (string | Uint8Array)[]): void {
  response.once('finish', () => {
    for (const piece of pieces) if (Buffer.isBuffer(piece)) answerMemory.giveBack(piece)
  })
}
