import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Attack } from './attack.ts'
import { CATALOGUE } from './catalogue.ts'
import { show } from './outcome.ts'
import { createStanding, type Standing } from './standing.ts'
import { createWorld, type World } from './world.ts'

const ALL = process.env.ATTACKS === 'all'

/**
 * One test an attack, one after the other, on a service of their own; what must hold after each of them is looked at after each of them.
 * Attacks that take long are left out unless ATTACKS=all.
 */
export function runAttacks(
  parts: readonly (keyof typeof CATALOGUE)[],
  settings: Readonly<Record<string, string>> = {},
  nodeOptions: readonly string[] = [],
): void {
  let world: World
  let standing: Standing
  beforeAll(async () => {
    world = await createWorld(settings, nodeOptions)
    standing = createStanding(world)
    // what it took to start is not looked at
    await world.service.ask()
  })
  afterAll(() => world?.stop())

  for (const part of parts) {
    describe(part, () => {
      for (const attack of CATALOGUE[part]) {
        const left = attack.long === true && !ALL
        test.skipIf(left)(`${attack.id} ${attack.what}`, { timeout: attack.long ? 900_000 : 180_000 }, async () => {
          const failures = [await failureOf(run(attack, world)), await failureOf(standing.check(attack))].filter(
            (failure) => failure !== null,
          )
          if (failures.length > 0) throw new Error(failures.join('\n\nand then: '))
        })
      }
      test('nothing is left behind', () => standing.checkRest())
    })
  }
}

const failureOf = (work: Promise<void>): Promise<string | null> =>
  work.then(
    () => null,
    (error) =>
      error instanceof Error
        ? `${error.message}\n${error.stack?.split('\n').find((line) => line.includes('/test/attacks/catalogue/')) ?? ''}`
        : String(error),
  )

async function run(attack: Attack, world: World): Promise<void> {
  if ('play' in attack) return attack.play(world)
  const heard = await world.send(typeof attack.send === 'function' ? await attack.send(world) : attack.send, attack.options)
  expect(attack.outcome.fits(heard), `wanted: ${attack.outcome.says}\nheard: ${show(heard)}`).toBe(true)
}
