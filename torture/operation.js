import { ask, BROKEN_OFF, NoAnswer } from './http.js'
import { md5, readPayload } from './payload.js'

/**
 * @typedef {'put' | 'get' | 'delete' | 'bulk delete' | 'list' | 'move' | 'copy' | 'empty' | 'create bucket' | 'update bucket' | 'get bucket'
 *   | 'delete bucket' | 'graphql insert' | 'spy'} Kind
 *
 * @typedef {object} Operation
 * @property {string} id
 * @property {string} group whose cells it touches
 * @property {Kind} kind
 * @property {string} as who asks
 * @property {string} bucket
 * @property {string} [key] of a list: its prefix
 * @property {readonly string[]} [keys]
 * @property {string} [toBucket]
 * @property {string} [toKey]
 * @property {boolean} [upsert]
 * @property {number} [breakAt] the sender goes away after so many bytes, so that nothing may come of it
 * @property {number} [pauseMs] half of the body is sent so much later
 * @property {string} [value] what it writes: the MD5 of the bytes, or a limit
 *
 * @typedef {object} Done what came of it; `ok` and `fail` are certain, `info` is not
 * @property {Operation} operation
 * @property {number} call
 * @property {number} end
 * @property {'ok' | 'fail' | 'info'} outcome
 * @property {string} [code] of a failure
 * @property {string} [value] read
 * @property {Readonly<Record<string, string>>} [values] read, by key
 * @property {string} [fault] what no storage may ever do
 * @property {'read' | 'owner' | 'answer' | 'late'} [faultKind]
 *
 * @typedef {object} Caller
 * @property {number} port
 * @property {Readonly<Record<string, string>>} tokens by who asks
 * @property {string} anonKey
 * @property {import('node:http').Agent} agent
 */

const JSON_TYPE = { 'content-type': 'application/json' }
export const MEDIA_TYPE = 'application/x-stowed'

/**
 * @param {Operation} operation
 * @param {Buffer | undefined} payload
 * @returns {{ method: string, path: string, headers?: Record<string, string>, body?: Buffer | string, chunked?: boolean, breakAt?: number, pauseMs?: number }}
 */
function requestOf({ kind, bucket, key = '', keys, toBucket, toKey, upsert, breakAt, pauseMs, id, value }, payload) {
  const json = (/** @type {string} */ method, /** @type {string} */ path, /** @type {object} */ body) => ({
    method,
    path,
    headers: JSON_TYPE,
    body: JSON.stringify(body),
  })
  const pair = { bucketId: bucket, sourceKey: key, destinationBucket: toBucket, destinationKey: toKey }
  switch (kind) {
    case 'put':
      return {
        method: 'POST',
        path: `/object/${bucket}/${key}`,
        headers: { 'content-type': MEDIA_TYPE, ...(upsert ? { 'x-upsert': 'true' } : {}) },
        ...(payload ? { body: payload } : {}),
        // every third goes without its length
        chunked: Number(id.replace(/\D/g, '')) % 3 === 0,
        ...(breakAt === undefined ? {} : { breakAt }),
        ...(pauseMs === undefined ? {} : { pauseMs }),
      }
    case 'get':
    case 'spy':
      return { method: 'GET', path: `/object/authenticated/${bucket}/${key}` }
    case 'delete':
      return { method: 'DELETE', path: `/object/${bucket}/${key}` }
    case 'bulk delete':
      return json('DELETE', `/object/${bucket}`, { prefixes: keys })
    case 'list':
      return json('POST', `/object/list/${bucket}`, { prefix: key, limit: 1000 })
    case 'move':
      return json('POST', '/object/move', pair)
    case 'copy': {
      const { headers, ...rest } = json('POST', '/object/copy', pair)
      return { ...rest, headers: { ...headers, ...(upsert ? { 'x-upsert': 'true' } : {}) } }
    }
    case 'empty':
      return { method: 'POST', path: `/bucket/${bucket}/empty` }
    case 'create bucket':
      return json('POST', '/bucket', { name: bucket, file_size_limit: Number(value) })
    case 'update bucket':
      return json('PUT', `/bucket/${bucket}`, { file_size_limit: Number(value) })
    case 'get bucket':
      return { method: 'GET', path: `/bucket/${bucket}` }
    case 'delete bucket':
      return { method: 'DELETE', path: `/bucket/${bucket}` }
    case 'graphql insert':
      // two fields of one mutation: both rows or none
      return json('POST', '/graphql/v1', {
        query: `mutation ($a: [tornInsertInput!]!, $b: [tornInsertInput!]!) { a: insertIntotornCollection(objects: $a) { affectedCount } b: insertIntotornCollection(objects: $b) { affectedCount } }`,
        variables: { a: [{ operation: id, half: 1 }], b: [{ operation: id, half: 2 }] },
      })
  }
}

/**
 * Sends it and says what came of it. Never throws: what the wire did is an outcome, too.
 * @param {Caller} caller
 * @param {Operation} operation
 * @param {Buffer} [payload]
 * @returns {Promise<Done>}
 */
export async function perform({ port, tokens, anonKey, agent }, operation, payload) {
  const { headers, ...request } = requestOf(operation, payload)
  const call = performance.now()
  const done = (/** @type {Partial<Done> & Pick<Done, 'outcome'>} */ rest) => ({ operation, call, end: performance.now(), ...rest })
  try {
    const answer = await ask({
      port,
      agent,
      ...request,
      headers: { ...headers, authorization: `Bearer ${tokens[operation.as]}`, apikey: anonKey },
    })
    return done(judge(operation, answer))
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    if (error.isLate) return done({ outcome: 'info', fault: error.message, faultKind: 'late' })
    if (error.message === BROKEN_OFF) return done({ outcome: 'fail', code: BROKEN_OFF })
    return done({ outcome: 'info', code: error.message })
  }
}

/** Refusals that say for certain that nothing happened, by the word that tells them apart. */
const CERTAIN = new Map([
  ['not_found', 'NoSuchKey'],
  ['Bucket not found', 'NoSuchBucket'],
  ['The related resource does not exist', 'RelatedResourceMissing'],
  ['KeyAlreadyExists', 'KeyAlreadyExists'],
  ['BucketAlreadyExists', 'BucketAlreadyExists'],
  ['ResourceAlreadyExists', 'ResourceAlreadyExists'],
  ['ResourceNotEmpty', 'ResourceNotEmpty'],
  ['ResourceLocked', 'ResourceLocked'],
  ['AccessDenied', 'AccessDenied'],
])

/**
 * @param {Operation} operation
 * @param {import('./http.js').Answer} answer
 * @returns {Pick<Done, 'outcome'> & Partial<Done>}
 */
function judge(operation, answer) {
  if (answer.status >= 200 && answer.status < 300) return accept(operation, answer)
  const said = jsonOf(answer.body)
  const { error = '', message = '', code = '' } = said
  const words = `${answer.status} ${message || JSON.stringify(said).slice(0, 200)}`
  if (code === 'DatabaseUnavailable' || code === 'UploadInterrupted' || answer.status === 503) return { outcome: 'info', code: words }
  if (answer.status >= 500) return { outcome: 'info', code: words, fault: `${operation.kind} was answered ${words}`, faultKind: 'answer' }
  const certain = CERTAIN.get(error) ?? CERTAIN.get(message) ?? CERTAIN.get(code)
  // a row whose bytes are gone answers 404, too, in other words
  if (certain === 'AccessDenied' && operation.as === 'service')
    return {
      outcome: 'fail',
      code,
      fault: `the service was refused ${operation.kind} of ${operation.bucket}/${operation.key}`,
      faultKind: 'answer',
    }
  const isGone = error === 'Not found' && message === 'The resource was not found'
  if (certain && !isGone) return { outcome: 'fail', code: certain }
  return isGone
    ? {
        outcome: 'fail',
        code: 'NoSuchBytes',
        fault: `${operation.kind} of ${operation.bucket}/${operation.key}: the row is there, its bytes are not`,
        faultKind: 'read',
      }
    : { outcome: 'fail', code, fault: `${operation.kind} was answered ${words}`, faultKind: 'answer' }
}

/**
 * @param {Operation} operation
 * @param {import('./http.js').Answer} answer
 * @returns {Pick<Done, 'outcome'> & Partial<Done>}
 */
function accept(operation, { headers, body }) {
  const { kind, as } = operation
  switch (kind) {
    case 'get':
    case 'spy':
      return { outcome: 'ok', ...readObject(operation, headers, body) }
    case 'list':
      return {
        outcome: 'ok',
        values: Object.fromEntries(listOf(body).map(({ name, metadata }) => [`${operation.key}${name}`, bare(metadata?.eTag)])),
      }
    case 'bulk delete':
      return { outcome: 'ok', values: Object.fromEntries(listOf(body).map(({ name, metadata }) => [name, bare(metadata?.eTag)])) }
    case 'copy':
      return { outcome: 'ok', value: bare(jsonOf(body).metadata?.eTag) }
    case 'get bucket':
      return { outcome: 'ok', value: String(jsonOf(body).file_size_limit) }
    case 'graphql insert': {
      const { data, errors } = jsonOf(body)
      if (data?.a?.affectedCount === 1 && data?.b?.affectedCount === 1) return { outcome: 'ok' }
      return {
        outcome: 'info',
        code: errors?.[0]?.message ?? 'no rows',
        fault: `a GraphQL insert of ${as} was answered ${body}`,
        faultKind: 'answer',
      }
    }
    default:
      return { outcome: 'ok' }
  }
}

/** @param {Operation} operation @param {import('node:http').IncomingHttpHeaders} headers @param {Buffer} body @returns {Partial<Done>} */
export function readObject({ as, bucket, key }, headers, body) {
  const value = md5(body)
  const where = `${bucket}/${key}`
  const read = readPayload(body)
  if ('fault' in read) return { value, fault: `${where} is ${read.fault}`, faultKind: 'read' }
  if (bare(headers.etag) !== value) return { value, fault: `${where} has the ETag ${headers.etag} and the MD5 ${value}`, faultKind: 'read' }
  if (headers['content-type'] !== MEDIA_TYPE) return { value, fault: `${where} has the type ${headers['content-type']}`, faultKind: 'read' }
  const { owner } = read.label
  if (owner !== as && as !== 'service') return { value, fault: `${as} read what ${owner} wrote, in ${where}`, faultKind: 'owner' }
  return { value }
}

/** @param {string | undefined} etag */
const bare = (etag) => (etag ?? '').replace(/^(?:W\/)?"|"$/g, '')

/** @param {Buffer} body @returns {any} */
function jsonOf(body) {
  try {
    return JSON.parse(body.toString())
  } catch {
    return {}
  }
}

/** @param {Buffer} body @returns {{ name: string, metadata?: { eTag?: string } }[]} */
const listOf = (body) => JSON.parse(body.toString())
