/**
 * What goes wrong, and when.
 * @typedef {'cut' | 'kill' | 'kill both' | 'kill postgres' | 'kill backend' | 'terminate'} OfOne of a service with its database
 * @typedef {'kill one' | 'kill all' | 'freeze one' | 'freeze one and kill another' | 'terminate one' | 'replace all' | 'kill store' | 'freeze store'
 *   | 'kill postgres' | 'kill backend'} OfSeveral
 * @typedef {OfOne | OfSeveral} Fault
 * @typedef {{ readonly fault: Fault, readonly afterMs: number, readonly afterOperations?: number }} Planned when so much time has passed and, on a slow
 *   machine, so many operations have ended
 */

/** How often which; with counts that were asked for, it goes by them. */
const MIX = { cut: 30, kill: 25, 'kill both': 15, 'kill postgres': 10, 'kill backend': 10, terminate: 10 }
const KILLS = { kill: 35, 'kill both': 25, 'kill postgres': 15, 'kill backend': 25 }

/**
 * An endless plan, or one with so many power cuts and kills in a mixed order; the same for the same seed.
 * @param {import('./random.js').Random} random
 * @param {{ cuts: number | null, kills: number | null, hasDisk: boolean }} asked
 * @returns {Generator<Planned, void, void>}
 */
export function* makeSchedule(random, { cuts, kills, hasDisk }) {
  const plan = (/** @type {string} */ fault) => ({
    fault: /** @type {Fault} */ (fault),
    afterMs: 150 + Math.floor(1_350 * random.next() ** 2),
  })
  if (cuts === null && kills === null) {
    const { cut, ...others } = MIX
    for (;;) yield plan(random.weigh(hasDisk ? { cut, ...others } : others))
  }
  let cutsLeft = hasDisk ? (cuts ?? 0) : 0
  let killsLeft = kills ?? 0
  while (cutsLeft + killsLeft > 0) {
    const isCut = random.below(cutsLeft + killsLeft) < cutsLeft
    if (isCut) cutsLeft--
    else killsLeft--
    yield plan(isCut ? 'cut' : random.weigh(KILLS))
  }
}

const FLEET_MIX = {
  'freeze one': 30,
  'freeze one and kill another': 20,
  'kill one': 20,
  'kill all': 6,
  'terminate one': 6,
  'replace all': 6,
  'kill postgres': 4,
  'kill backend': 4,
}
const GATEWAY_MIX = { 'kill store': 8, 'freeze store': 8 }

/**
 * An endless plan for several services on one database and one store.
 * @param {import('./random.js').Random} random
 * @param {{ hasGateway: boolean }} asked whether the store is a process that can die, too
 * @returns {Generator<Planned, void, void>}
 */
export function* makeFleetSchedule(random, { hasGateway }) {
  const mix = hasGateway ? { ...FLEET_MIX, ...GATEWAY_MIX } : FLEET_MIX
  for (;;) yield { fault: /** @type {Fault} */ (random.weigh(mix)), afterMs: 300 + Math.floor(1_200 * random.next() ** 2) }
}
