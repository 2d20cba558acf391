import { MessageChannel } from 'node:worker_threads'

/** Smaller ones are not worth the call. */
const WORTH_IT = 16 * 1024

/**
 * Gives the memory of a chunk back at once: whoever looks at it afterwards sees no bytes. Only for a chunk that nobody else holds. Left to the collector,
 * the chunks of a fast upload count as memory of the heap and have it collected every twenty megabytes, and many wait for that.
 * What is sent to a port is detached, also when the port is closed (HTML, message port post message steps) and nobody receives it: ArrayBuffer has a call for that
 * only since Node 22.
 */
export function createLetGo(): (chunk: Buffer) => void {
  const { port1 } = new MessageChannel()
  port1.close()
  return (chunk) => {
    const { buffer } = chunk
    if (chunk.length < WORTH_IT || chunk.length !== buffer.byteLength || !(buffer instanceof ArrayBuffer)) return
    try {
      port1.postMessage(null, [buffer])
    } catch {
      // memory that may not be moved is left to the collector
    }
  }
}
