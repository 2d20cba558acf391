import { Agent, request as send } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkOrphans, checkRows } from './check-store.js'
import { ask } from './http.js'
import { MEDIA_TYPE, readObject } from './operation.js'
import { makePayload, md5 } from './payload.js'

/**
 * Told to stop in the midst of transfers: no new ones are taken, what runs comes to its end, what stands still is cut off, nothing that was
 * answered is lost, and the process ends by itself with 0.
 */

const UPLOADS = 30
const DOWNLOADS = 30
const MUTATIONS = 20
const SIZE = 1024 * 1024
/** Transfers go on for so long after the signal, well within STOWAGE_DRAIN_LIMIT (5 s). */
const TAIL_MS = 1_000
/** Beyond the drain limit: closing the pools, and PostgreSQL's checkpoint. */
const EXIT_LIMIT_MS = 5_000 + 5_000
const BUCKET = 'alpha'

/**
 * @param {{ arena: import('./arena.js').Arena, verdicts: import('./verdicts.js').Verdicts, print: (line: string) => void }} options
 */
export async function checkDrain({ arena, verdicts, print }) {
  const { caller, store } = arena
  const { port } = caller
  const headers = { authorization: `Bearer ${caller.tokens.service}`, apikey: caller.anonKey }
  const service = arena.service()
  const payloads = Array.from({ length: UPLOADS + 1 }, (_, i) =>
    makePayload({ operation: `d${i}`, key: `drain/${i}`, owner: 'service', size: SIZE, seed: i }),
  )
  const source = payloads[UPLOADS] ?? Buffer.alloc(0)
  const at = (/** @type {string} */ key) => `/object/${BUCKET}/drain/${key}`
  await ask({ port, method: 'POST', path: at('source'), headers: { ...headers, 'content-type': MEDIA_TYPE }, body: source })

  const told = sleep(500)
  const finish = sleep(500 + TAIL_MS)
  const uploads = payloads.slice(0, UPLOADS).map((payload, i) => upload(port, at(String(i)), headers, payload, finish))
  const stalled = upload(port, at('stalled'), headers, source, new Promise(() => undefined))
  const downloads = Array.from({ length: DOWNLOADS }, () => download(port, `/object/authenticated/${BUCKET}/drain/source`, headers, finish))
  const mutations = Promise.all(Array.from({ length: MUTATIONS }, (_, i) => mutateUntilClosed(port, headers, `drain-${i}`)))
  const readiness = pollReadiness(port)

  await told
  const began = performance.now()
  service.kill('SIGTERM')
  const stopping = untilStopping(service)
  const code = await Promise.race([service.exited, sleep(EXIT_LIMIT_MS, 'not at all')])
  const tookMs = Math.round(performance.now() - began)
  verdicts.looked('C10')
  if (code !== 0) verdicts.violated('C10', `told to stop with a client that stands still, it ended ${code} after ${tookMs} ms`)

  const stoppingAt = await stopping
  const late = (await readiness).filter(({ askedAt, isReady }) => isReady && askedAt > stoppingAt)
  verdicts.looked('C10')
  if (late.length > 0) verdicts.violated('C10', `it called itself ready ${late.length} times after it had said that it was stopping`)

  const answers = await Promise.all(uploads)
  const bodies = await Promise.all(downloads)
  for (const [i, body] of bodies.entries()) {
    verdicts.looked('C3')
    if (!body) verdicts.violated('C10', `download ${i} was cut off within the drain limit`)
    else if (md5(body) !== md5(source)) verdicts.violated('C3', `download ${i} ended with ${body.length} other bytes`)
  }
  const inserted = (await mutations).flat()
  if (await stalled) verdicts.violated('C3', 'an upload that never ended was answered')

  await arena.start()
  for (const [i, status] of answers.entries())
    if (status !== 200) verdicts.violated('C10', `upload ${i} was cut off within the drain limit`)
  await checkUploads(verdicts, port, headers, 'drain', answers)
  const { status } = await ask({ port, method: 'GET', path: `/object/authenticated/${BUCKET}/drain/stalled`, headers })
  verdicts.looked('C5')
  if (status === 200) verdicts.violated('C5', 'an upload that never ended is there')
  await checkInserted(verdicts, port, headers, inserted)
  await checkRows(verdicts, store)
  await checkOrphans(verdicts, store)
  arena.readLog()
  print(
    `${UPLOADS} uploads, ${DOWNLOADS} downloads, ${inserted.length} mutations: it ended with ${code}, ${tookMs} ms after it was told to`,
  )
  await checkSecondSignal({ arena, verdicts, print })
}

/** A second signal within this time of the first counts as its echo. */
const ECHO_MS = 500
/** With nothing to wait for but the process's own end. */
const AT_ONCE_MS = 1_000

/**
 * Told to stop a second time while it waits for its clients: it ends at once, with 1, and what was answered until then is there.
 * @param {{ arena: import('./arena.js').Arena, verdicts: import('./verdicts.js').Verdicts, print: (line: string) => void }} options
 */
async function checkSecondSignal({ arena, verdicts, print }) {
  const { caller, store } = arena
  const { port } = caller
  const headers = { authorization: `Bearer ${caller.tokens.service}`, apikey: caller.anonKey }
  const service = arena.service()
  /** @type {() => void} */
  let again = () => undefined
  const toldAgain = new Promise((resolve) => {
    again = () => resolve(null)
  })
  // their second halves come before, with and behind the signal
  const uploads = Array.from({ length: UPLOADS }, (_, i) => {
    const payload = makePayload({ operation: `h${i}`, key: `hurry/${i}`, owner: 'service', size: SIZE, seed: i })
    const finish = toldAgain.then(() => sleep(4 * i))
    return upload(port, `/object/${BUCKET}/hurry/${i}`, headers, payload, finish)
  })
  const mutations = Promise.all(Array.from({ length: MUTATIONS }, (_, i) => mutateUntilClosed(port, headers, `hurry-${i}`)))

  await sleep(500)
  service.kill('SIGTERM')
  await untilStopping(service)
  await sleep(ECHO_MS + 100)
  verdicts.looked('C10', 2)
  if (service.hasEnded()) verdicts.violated('C10', 'told to stop, it ended while thirty uploads were under way')
  again()
  await sleep(2 * UPLOADS)
  const began = performance.now()
  service.kill('SIGTERM')
  const code = await Promise.race([service.exited, sleep(EXIT_LIMIT_MS, 'not at all')])
  const tookMs = Math.round(performance.now() - began)
  if (code !== 1 || tookMs > AT_ONCE_MS) verdicts.violated('C10', `told to stop a second time, it ended with ${code} after ${tookMs} ms`)

  const answers = await Promise.all(uploads)
  const inserted = (await mutations).flat()
  await arena.start()
  await checkUploads(verdicts, port, headers, 'hurry', answers)
  await checkInserted(verdicts, port, headers, inserted)
  await checkRows(verdicts, store)
  await checkOrphans(verdicts, store)
  arena.readLog()
  const answered = answers.filter((status) => status === 200).length
  print(`told a second time with ${UPLOADS - answered} of ${UPLOADS} uploads under way: it ended with ${code} after ${tookMs} ms`)
}

/** When it said that it had understood. @param {import('./service.js').Running} service */
async function untilStopping(service) {
  while (!service.logged().includes('stowage: stopping') && !service.hasEnded()) await sleep(1)
  return performance.now()
}

/**
 * Those that were answered are there; those that were not are whole or absent.
 * @param {import('./verdicts.js').Verdicts} verdicts @param {number} port @param {Record<string, string>} headers
 * @param {string} folder @param {readonly (number | null)[]} answers
 */
async function checkUploads(verdicts, port, headers, folder, answers) {
  for (const [i, status] of answers.entries()) {
    const key = `${folder}/${i}`
    const found = await ask({ port, method: 'GET', path: `/object/authenticated/${BUCKET}/${key}`, headers })
    verdicts.looked('C3')
    if (status === 200 && found.status !== 200) verdicts.violated('C3', `upload ${i} was answered, and is gone`)
    if (found.status !== 200) continue
    const { fault } = readObject({ id: '', group: '', kind: 'get', as: 'service', bucket: BUCKET, key }, found.headers, found.body)
    if (fault) verdicts.violated('C3', fault)
  }
}

/** Half of it at once, the rest when `finish` says so; the status, or null when it was cut off.
 * @param {number} port @param {string} path @param {Record<string, string>} headers @param {Buffer} payload @param {Promise<unknown>} finish @returns {Promise<number | null>}
 */
function upload(port, path, headers, payload, finish) {
  return new Promise((resolve) => {
    const request = send({
      host: '127.0.0.1',
      port,
      path,
      method: 'POST',
      headers: { ...headers, 'content-type': MEDIA_TYPE, 'content-length': String(payload.length) },
    })
    request.on('error', () => resolve(null))
    let isAnswered = false
    // closed without a word
    request.on('close', () => isAnswered || resolve(null))
    request.on('response', (response) => {
      isAnswered = true
      response.resume()
      response.on('close', () => resolve(response.complete ? (response.statusCode ?? null) : null))
    })
    request.write(payload.subarray(0, payload.length / 2))
    finish.then(() => request.end(payload.subarray(payload.length / 2)))
  })
}

/** Reads nothing until `finish`; the whole body, or null. @param {number} port @param {string} path @param {Record<string, string>} headers @param {Promise<unknown>} finish @returns {Promise<Buffer | null>} */
function download(port, path, headers, finish) {
  return new Promise((resolve) => {
    const request = send({ host: '127.0.0.1', port, path, headers })
    let isAnswered = false
    request.on('error', () => resolve(null))
    request.on('close', () => isAnswered || resolve(null))
    request.on('response', (response) => {
      isAnswered = true
      response.pause()
      /** @type {Buffer[]} */
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', () => resolve(null))
      response.on('close', () => resolve(response.complete ? Buffer.concat(chunks) : null))
      finish.then(() => response.resume())
    })
    request.end()
  })
}

/** @param {number} port @param {Record<string, string>} headers @param {string} body */
const askGraphql = (port, headers, body) =>
  ask({ port, method: 'POST', path: '/graphql/v1', headers: { ...headers, 'content-type': 'application/json' }, body })

/** The names of those that were answered. @param {number} port @param {Record<string, string>} headers @param {string} prefix @returns {Promise<string[]>} */
async function mutateUntilClosed(port, headers, prefix) {
  /** @type {string[]} */
  const answered = []
  for (;;) {
    const name = `${prefix}-${answered.length}`
    const body = JSON.stringify({
      query: 'mutation ($objects: [tornInsertInput!]!) { insertIntotornCollection(objects: $objects) { affectedCount } }',
      variables: { objects: [1, 2].map((half) => ({ operation: name, half })) },
    })
    try {
      const answer = await askGraphql(port, headers, body)
      if (answer.status !== 200) return answered
      answered.push(name)
    } catch {
      return answered
    }
  }
}

/** Over one connection that was there before, until it is closed. @param {number} port */
async function pollReadiness(port) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  /** @type {{ askedAt: number, isReady: boolean }[]} */
  const polls = []
  for (let isOpen = true; isOpen; ) {
    const askedAt = performance.now()
    await ask({ port, agent, method: 'GET', path: '/health/ready', deadlineMs: 2_000 }).then(
      ({ status }) => polls.push({ askedAt, isReady: status === 200 }),
      () => {
        isOpen = false
      },
    )
    await sleep(10)
  }
  agent.destroy()
  return polls
}

/** Each has two rows, and a page thirty. */
const NAMES_AT_ONCE = 15

/** @param {import('./verdicts.js').Verdicts} verdicts @param {number} port @param {Record<string, string>} headers @param {readonly string[]} names */
async function checkInserted(verdicts, port, headers, names) {
  const there = new Set()
  for (let at = 0; at < names.length; at += NAMES_AT_ONCE) {
    const body = JSON.stringify({
      query:
        'query ($names: [String!]!) { tornCollection(filter: { operation: { in: $names } }, first: 30) { edges { node { operation } } } }',
      variables: { names: names.slice(at, at + NAMES_AT_ONCE) },
    })
    const answer = await askGraphql(port, headers, body)
    for (const { node } of JSON.parse(answer.body.toString()).data.tornCollection.edges) there.add(node.operation)
  }
  for (const name of names) {
    verdicts.looked('C3')
    if (!there.has(name)) verdicts.violated('C3', `the mutation ${name} was answered, and its rows are gone`)
  }
}
