import { setTimeout as sleep } from 'node:timers/promises'
import { perform } from './operation.js'
import { isReady } from './service.js'

/**
 * Writers and readers outside the service and outside the faulted disk.
 * @typedef {import('./operation.js').Done} Done
 * @typedef {object} Load
 * @property {() => Promise<readonly Done[]>} stop ends after the operations at hand, and hands over what came of all
 * @property {() => number} count
 */

/**
 * @param {object} deps
 * @param {import('./operation.js').Caller} deps.caller
 * @param {readonly import('./world.js').Group[]} deps.groups
 * @param {ReturnType<typeof import('./world.js').createOperations>} deps.draw
 * @param {import('./random.js').Random} deps.random
 * @param {import('./ledger.js').Ledger} deps.ledger
 * @param {number} deps.workers
 * @param {number} [deps.most] operations
 * @returns {Load}
 */
export function startLoad({ caller, groups, draw, random, ledger, workers, most = Number.POSITIVE_INFINITY }) {
  /** @type {Done[]} */
  const history = []
  let isStopping = false
  let begun = 0

  const work = async () => {
    while (!isStopping && begun < most) {
      begun++
      const { operation, payload } = draw(random.pick(groups))
      await ledger.note({ intent: operation, bytes: payload?.length })
      const done = await perform(caller, operation, payload)
      const { operation: _, ...rest } = done
      await ledger.note({ id: operation.id, ...rest })
      history.push(done)
      // what nobody answers is asked again when somebody is there: otherwise nothing but unknown outcomes would pile up
      while (done.outcome === 'info' && !isStopping && !(await isReady(caller.port))) await sleep(20)
    }
  }
  const working = Promise.all(Array.from({ length: workers }, work))
  return {
    count: () => history.length,
    stop: async () => {
      isStopping = most === Number.POSITIVE_INFINITY
      await working
      return history
    },
  }
}
