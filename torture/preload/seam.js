// Preloaded into a service that is to die at a given step (node --import): counts what it does to files, to the database and to its
// clients, before and after each, and ends the process as SIGKILL does at the step it was armed for.
import fsPromises from 'node:fs/promises'
import { ServerResponse } from 'node:http'
import pg from 'pg'

const FILE_CALLS = /** @type {const} */ (['open', 'mkdir', 'unlink', 'rename', 'readdir'])
const HANDLE_CALLS = /** @type {const} */ (['write', 'writev', 'sync', 'close', 'read'])

/** @type {number | null} */
let deadly = null
let count = 0
/** @type {string[]} */
let names = []

/** @param {string} name */
function step(name) {
  if (deadly === null) return
  names.push(name)
  if (++count === deadly) process.kill(process.pid, 'SIGKILL')
}

/** @param {any} owner @param {string} method @param {string} name */
function watch(owner, method, name) {
  const real = owner[method]
  owner[method] = async (/** @type {unknown[]} */ ...args) => {
    step(`before ${name}`)
    const result = await real.apply(owner, args)
    step(`after ${name}`)
    return result
  }
}

for (const call of FILE_CALLS) watch(fsPromises, call, call)
const open = fsPromises.open
fsPromises.open = async (...args) => {
  const handle = await open(...args)
  for (const call of HANDLE_CALLS) watch(handle, call, call)
  return handle
}

/** @type {any} */
const client = pg.Client.prototype
const query = client.query
/** @param {any} submitted @param {unknown[]} rest */
client.query = function (submitted, ...rest) {
  step('before a batch')
  const answered = submitted?.handleReadyForQuery
  if (typeof answered === 'function') {
    submitted.handleReadyForQuery = (/** @type {unknown[]} */ ...args) => {
      step('at the answer to a batch')
      return answered.apply(submitted, args)
    }
  }
  const result = query.call(this, submitted, ...rest)
  step('behind a batch')
  return result
}

const end = ServerResponse.prototype.end
ServerResponse.prototype.end = function (/** @type {any[]} */ ...args) {
  step('before the answer')
  const result = end.apply(this, /** @type {any} */ (args))
  step('behind the answer')
  return result
}

process.on('message', (/** @type {{ id: number, arm?: number }} */ { id, arm }) => {
  const answer = { steps: count, names }
  deadly = arm ?? null
  count = 0
  names = []
  process.send?.({ id, answer })
})
