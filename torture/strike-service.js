import { setTimeout as sleep } from 'node:timers/promises'
import { isReady, killPostgres, postgresPids } from './service.js'

/**
 * A fault of one service with its database.
 * @param {import('./schedule.js').Fault} fault
 * @param {import('./arena.js').Arena} arena
 * @param {import('./random.js').Random} random
 * @param {import('./verdicts.js').Verdicts} verdicts
 * @returns {Promise<import('./rounds.js').Mend>}
 */
export async function strikeService(fault, arena, random, verdicts) {
  const isGone = await strike(fault, arena, random, verdicts)
  return async () => {
    if (isGone) return { servingAfterMs: (await arena.start()).servingAfterMs }
    await untilBack(arena.place.port, arena.service, verdicts)
    return { servingAfterMs: null }
  }
}

/** @param {import('./schedule.js').Fault} fault @param {import('./arena.js').Arena} arena @param {import('./random.js').Random} random @param {import('./verdicts.js').Verdicts} verdicts */
async function strike(fault, arena, random, verdicts) {
  const service = arena.service()
  if (service.hasEnded()) {
    verdicts.violated('C10', `the service ended by itself:\n${service.said().slice(-2_000)}`)
    await killPostgres(await postgresPids(arena.place))
    return true
  }
  switch (fault) {
    case 'cut':
      await arena.cutPower()
      return true
    case 'kill':
      await arena.kill(false)
      return true
    case 'kill both':
      await arena.kill(true)
      return true
    case 'kill postgres':
    case 'kill backend':
      await killSomePostgres(fault, arena.place.data, random)
      await sleep(300)
      return false
    case 'terminate':
      await terminate(service, verdicts)
      return true
    default:
      throw new Error(`${fault} takes several processes`)
  }
}

/** Killing one of its children, PostgreSQL ends all and recovers, as after a crash. @param {'kill postgres' | 'kill backend'} what @param {string} data @param {import('./random.js').Random} random */
export async function killSomePostgres(what, data, random) {
  const [server = 0, ...children] = await postgresPids({ data })
  await killPostgres([what === 'kill postgres' || children.length === 0 ? server : random.pick(children)])
}

/** @param {import('./service.js').Running} service @param {import('./verdicts.js').Verdicts} verdicts */
export async function terminate(service, verdicts) {
  service.kill('SIGTERM')
  const code = await service.exited
  verdicts.looked('C10')
  if (code !== 0) verdicts.violated('C10', `told to stop, it ended with ${code}:\n${service.said().slice(-2_000)}`)
}

const BACK_LIMIT_MS = 20_000

/**
 * The service stayed, what it stands on went: it serves again without anybody's help.
 * @param {number} port @param {() => import('./service.js').Running} service @param {import('./verdicts.js').Verdicts} verdicts
 */
export async function untilBack(port, service, verdicts) {
  const until = performance.now() + BACK_LIMIT_MS
  verdicts.looked('C10')
  while (!(await isReady(port))) {
    if (service().hasEnded() || performance.now() > until) throw new Error(`it did not come back:\n${service().said().slice(-4_000)}`)
    await sleep(20)
  }
}
