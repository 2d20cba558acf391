// A child process that asks one HTTP/1.1 server again and again over kept-alive raw sockets, one request at a time on each.
// Told what to do by one message, answers with one. It reads status and length, nothing else, so it costs less than the servers it asks;
// still it is one Node process on the same cores: its ceiling is printed with the results.
import { connect } from 'node:net'

/**
 * @typedef {object} Job
 * @property {string} host
 * @property {number} port
 * @property {number} connections
 * @property {number} seconds at least one request is made on each connection
 * @property {string} head request line and headers without the last empty line; `{n}` becomes a number that never comes twice, `{<200}` one
 *   below 200 by chance, `{length}` the length of the body
 * @property {readonly string[]} bodies base64, in rotation
 * @property {number} times how often a body is sent, one behind the other, as one body
 * @property {number} first the first `{n}`
 *
 * @typedef {{ requests: number, failures: number, firstFailure: string, seconds: number, bytes: number, p50Ms: number, p99Ms: number }} Outcome
 */

const NO_BODY = /^HTTP\/1\.1 (?:204|304) /

process.once('message', async (/** @type {Job} */ job) => {
  process.send?.(await run(job))
})

/**
 * @param {Job} job
 * @returns {Promise<Outcome>}
 */
async function run(job) {
  const bodies = (job.bodies.length === 0 ? [''] : job.bodies).map((body) => Buffer.from(body, 'base64'))
  let n = job.first
  let turn = 0
  /** @returns {{ head: string, body: Buffer }} */
  const next = () => {
    const body = bodies[turn++ % bodies.length] ?? Buffer.alloc(0)
    const head = job.head
      .replace('{n}', () => String(n++))
      .replace(/\{<(\d+)\}/, (_, most) => String(Math.floor(Math.random() * Number(most))))
      .replace('{length}', () => String(body.length * job.times))
    return { head: `${head}\r\n\r\n`, body }
  }
  /** @type {number[]} */
  const latencies = []
  let failures = 0
  let firstFailure = ''
  let bytes = 0
  const start = performance.now()
  const until = start + job.seconds * 1000

  await Promise.all(
    Array.from({ length: job.connections }, () => {
      return new Promise((/** @type {(value: void) => void} */ resolve, reject) => {
        const socket = connect(job.port, job.host)
        socket.setNoDelay(true)
        let sentAt = 0
        let asked = 0
        let held = Buffer.alloc(0)
        /** what is still to come of the answer; null while its head is */
        let missing = /** @type {number | null} */ (null)
        const send = () => {
          sentAt = performance.now()
          if (sentAt >= until && asked > 0) return socket.end()
          asked++
          const { head, body } = next()
          if (job.times === 1 && body.length <= 65_536) return socket.write(Buffer.concat([Buffer.from(head), body]))
          socket.write(head)
          let left = job.times
          const more = () => {
            while (left-- > 0) if (!socket.write(body)) return socket.once('drain', more)
          }
          more()
        }
        socket.once('connect', send)
        socket.once('error', reject)
        socket.once('close', () => (missing === null && held.length === 0 ? resolve() : reject(new Error('the connection broke off'))))
        socket.on('data', (chunk) => {
          bytes += chunk.length
          if (missing === null) {
            held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
            const end = held.indexOf('\r\n\r\n')
            if (end < 0) return
            const head = held.toString('latin1', 0, end)
            const length = NO_BODY.test(head) ? '0' : /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
            if (length === undefined) return reject(new Error(`an answer without Content-Length: ${head.slice(0, 200)}`))
            if (!/^HTTP\/1\.1 [23]/.test(head)) {
              failures++
              firstFailure ||= held.toString('utf8', 0, 400)
            }
            missing = Number(length) - (held.length - end - 4)
            held = Buffer.alloc(0)
          } else {
            missing -= chunk.length
          }
          if (missing > 0) return
          missing = null
          latencies.push(performance.now() - sentAt)
          send()
        })
      })
    }),
  )
  const seconds = (performance.now() - start) / 1000
  latencies.sort((a, b) => a - b)
  const at = (/** @type {number} */ share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return { requests: latencies.length, failures, firstFailure, seconds, bytes, p50Ms: at(0.5), p99Ms: at(0.99) }
}
