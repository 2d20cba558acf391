import { setTimeout as sleep } from 'node:timers/promises'
import { killSomePostgres, terminate, untilBack } from './strike-service.js'

/**
 * A fault of one of several services, or of what they stand on. Load goes on meanwhile on those that stay, and everything is put right under
 * load, as whoever watches over them would do it.
 *
 * @typedef {import('./fleet.js').Member} Member
 * @param {import('./schedule.js').Fault} fault
 * @param {import('./fleet.js').Fleet} fleet
 * @param {import('./random.js').Random} random
 * @param {import('./verdicts.js').Verdicts} verdicts
 * @returns {Promise<import('./rounds.js').Mend>}
 */
export async function strikeFleet(fault, fleet, random, verdicts) {
  const { members, postgres, gateway } = fleet
  for (const member of members) {
    if (!member.service().hasEnded()) continue
    verdicts.violated('C10', `a service ended by itself:\n${member.service().said().slice(-2_000)}`)
    await member.start()
  }
  const pause = (/** @type {number} */ from, /** @type {number} */ to) => sleep(from + random.below(to - from))
  const one = random.pick(members)
  const other = random.pick(members.filter((member) => member !== one))
  /** @type {number[]} */
  const starts = []

  const startAgain = async (/** @type {Member} */ member) => {
    starts.push(await member.start())
    member.isAsked = true
  }
  const kill = async (/** @type {Member} */ member) => {
    member.service().kill('SIGKILL')
    member.isAsked = false
    await member.service().exited
  }
  const freeze = async (/** @type {Member} */ member) => {
    member.service().kill('SIGSTOP')
    // until it is noticed, it is still given requests
    await pause(10, 120)
    member.isAsked = false
  }
  const thaw = async (/** @type {Member} */ member) => {
    member.service().kill('SIGCONT')
    await untilBack(member.port, member.service, verdicts)
    member.isAsked = true
  }

  switch (fault) {
    case 'kill one':
      await kill(one)
      await pause(200, 2_000)
      await startAgain(one)
      break
    case 'kill all':
      await Promise.all(members.map(kill))
      await Promise.all(members.map(startAgain))
      break
    case 'freeze one':
      await freeze(one)
      // what it holds runs out, and another takes it: leases at once, as if their minute had gone by, and mostly its uploads, too
      await fleet.expireLeases()
      await pause(random.below(4) === 0 ? 100 : 2_000, 5_000)
      await thaw(one)
      break
    case 'freeze one and kill another':
      await freeze(one)
      await fleet.expireLeases()
      await kill(other)
      await pause(200, 2_000)
      await startAgain(other)
      await pause(0, 2_000)
      await thaw(one)
      break
    case 'terminate one':
      one.isAsked = false
      await terminate(one.service(), verdicts)
      await startAgain(one)
      break
    case 'replace all':
      for (const member of members) {
        member.isAsked = false
        await terminate(member.service(), verdicts)
        await startAgain(member)
      }
      break
    case 'kill backend':
      await killSomePostgres(fault, postgres.data, random)
      await sleep(300)
      break
    case 'kill postgres':
      await killSomePostgres(fault, postgres.data, random)
      await postgres.ended()
      await pause(0, 1_000)
      await postgres.start()
      break
    case 'kill store':
      await gateway?.end('SIGKILL')
      await pause(0, 1_500)
      await gateway?.start()
      break
    case 'freeze store':
      gateway?.signal('SIGSTOP')
      await pause(200, 3_000)
      gateway?.signal('SIGCONT')
      break
    default:
      throw new Error(`${fault} is of one service with its database`)
  }
  // on all of them together again
  await pause(200, 800)
  return async () => {
    for (const { port, service } of members) await untilBack(port, service, verdicts)
    return { servingAfterMs: starts.length > 0 ? Math.max(...starts) : null }
  }
}
