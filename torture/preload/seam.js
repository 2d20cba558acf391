// Preloaded into a service that is to die at a given step (node --import): counts what it does to files, to the database and to its
// clients, before and after each, and ends the process as SIGKILL does at the step it was armed for. Threads of the process count with it.
import fs from 'node:fs'
import fsPromises from 'node:fs/promises'
import { ServerResponse } from 'node:http'
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'

const FILE_CALLS = /** @type {const} */ (['open', 'mkdir', 'unlink', 'rename', 'readdir'])
const HANDLE_CALLS = /** @type {const} */ (['write', 'writev', 'sync', 'close', 'read'])

const THREAD_CALLS = /** @type {const} */ (['openSync', 'writeSync', 'fsyncSync', 'closeSync', 'unlinkSync'])

/** Of all threads: how many steps there were, and at which the process dies (0: at none, and none is counted). */
const shared = isMainThread ? new Int32Array(new SharedArrayBuffer(8)) : /** @type {Int32Array} */ (getEnvironmentData('seam'))
if (isMainThread) setEnvironmentData('seam', /** @type {any} */ (shared))
const [COUNT, DEADLY] = [0, 1]
/** Of this thread. @type {string[]} */
let names = []

/** @param {string} name */
function step(name) {
  const deadly = Atomics.load(shared, DEADLY)
  if (deadly === 0) return
  names.push(name)
  if (Atomics.add(shared, COUNT, 1) + 1 === deadly) process.kill(process.pid, 'SIGKILL')
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

if (!isMainThread) {
  for (const call of THREAD_CALLS) {
    /** @type {any} */
    const owner = fs
    const real = owner[call]
    owner[call] = (/** @type {unknown[]} */ ...args) => {
      step(`before ${call}`)
      const result = real(...args)
      step(`after ${call}`)
      return result
    }
  }
}

const compiled = (/** @type {string} */ module) => import(new URL(`../../dist/${module}`, import.meta.url).href)
/** @type {any[]} */
const [{ Wire }, { Exchange }] = await Promise.all([compiled('pg/wire.js'), compiled('pg/exchange.js')])
const send = Wire.prototype.send
Wire.prototype.send = function (/** @type {unknown[]} */ ...args) {
  step('before a batch')
  const result = send.apply(this, args)
  step('behind a batch')
  return result
}
const finish = Exchange.prototype.finish
Exchange.prototype.finish = function (/** @type {unknown[]} */ ...args) {
  step('at the answer to a batch')
  return finish.apply(this, args)
}

const end = ServerResponse.prototype.end
ServerResponse.prototype.end = function (/** @type {any[]} */ ...args) {
  step('before the answer')
  const result = end.apply(this, /** @type {any} */ (args))
  step('behind the answer')
  return result
}

process.on('message', (/** @type {{ id: number, arm?: number }} */ { id, arm }) => {
  const answer = { steps: Atomics.load(shared, COUNT), names }
  Atomics.store(shared, DEADLY, arm ?? 0)
  Atomics.store(shared, COUNT, 0)
  names = []
  process.send?.({ id, answer })
})
