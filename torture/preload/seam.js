// Preloaded into a service that is to die at a given step (node --import): counts what it does to files, to the database and to its
// clients, before and after each, and ends the process as SIGKILL does at the step it was armed for.
import fsPromises from 'node:fs/promises'
import { ServerResponse } from 'node:http'

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
  const answer = { steps: count, names }
  deadly = arm ?? null
  count = 0
  names = []
  process.send?.({ id, answer })
})
