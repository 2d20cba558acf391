import { Agent, request as send } from 'node:http'

/**
 * @typedef {object} Asking
 * @property {number} port
 * @property {string} method
 * @property {string} path
 * @property {Record<string, string>} [headers]
 * @property {Buffer | string} [body]
 * @property {boolean} [chunked] send the body without telling its length
 * @property {number} [breakAt] send so many bytes of the body and go away
 * @property {number} [pauseMs] send half of the body, and the rest so much later
 * @property {number} [deadlineMs]
 * @property {Agent} [agent]
 *
 * @typedef {{ readonly status: number, readonly headers: import('node:http').IncomingHttpHeaders, readonly body: Buffer }} Answer
 */

export class NoAnswer extends Error {
  /** @param {string} why @param {boolean} isLate the deadline passed, which no fault excuses */
  constructor(why, isLate) {
    super(why)
    this.isLate = isLate
  }
}

const DEADLINE_MS = 30_000
export const BROKEN_OFF = 'broken off on purpose'

export const createAgent = () => new Agent({ keepAlive: true })

/**
 * A whole answer, or {@link NoAnswer}: a body that breaks off is none.
 * @param {Asking} asking
 * @returns {Promise<Answer>}
 */
export function ask({ port, method, path, headers = {}, body, chunked = false, breakAt, pauseMs, deadlineMs = DEADLINE_MS, agent }) {
  return new Promise((resolve, reject) => {
    const length = body === undefined || chunked ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const request = send({ host: '127.0.0.1', port, method, path, headers: { ...headers, ...length }, ...(agent ? { agent } : {}) })
    const fail = (/** @type {string} */ why, isLate = false) => {
      clearTimeout(late)
      request.destroy()
      reject(new NoAnswer(why, isLate))
    }
    const late = setTimeout(() => fail(`${method} ${path} was neither answered nor closed in ${deadlineMs / 1000} s`, true), deadlineMs)
    request.on('error', (error) => fail(error.message))
    request.on('response', (response) => {
      /** @type {Buffer[]} */
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', (error) => fail(error.message))
      response.on('close', () => {
        if (!response.complete) return fail('the answer broke off')
        clearTimeout(late)
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) })
      })
    })
    if (breakAt === undefined && pauseMs !== undefined && body !== undefined) {
      const whole = Buffer.from(body)
      const half = Math.floor(whole.length / 2)
      request.write(whole.subarray(0, half))
      setTimeout(() => request.end(whole.subarray(half)), pauseMs)
    } else if (breakAt === undefined || body === undefined) request.end(body)
    else request.write(Buffer.from(body).subarray(0, breakAt), () => setTimeout(() => fail(BROKEN_OFF), 10))
  })
}
