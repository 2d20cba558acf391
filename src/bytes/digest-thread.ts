import { parentPort } from 'node:worker_threads'
import type { DigestReply, DigestRequest } from './digest-threads.ts'
import { HALVES } from './fingerprint.ts'

type Half = ReturnType<(typeof HALVES)[keyof typeof HALVES]>

// What a thread of digest-threads.ts runs: pieces of bodies come, and are hashed where they lie.
const bodies = new Map<number, readonly Half[]>()

parentPort?.on('message', ({ body, halves, piece, isLast }: DigestRequest) => {
  if (piece === null) {
    bodies.delete(body)
    return
  }
  const hashing = bodies.get(body) ?? halves.map((name) => HALVES[name]())
  for (const { add } of hashing) add(piece)
  if (isLast) bodies.delete(body)
  else bodies.set(body, hashing)
  const reply: DigestReply = isLast ? Object.assign({}, ...hashing.map(({ finish }) => finish())) : null
  parentPort?.postMessage(reply)
})
