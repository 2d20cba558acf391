import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openArena } from '../../torture/arena.js'
import { whyNoDisk } from '../../torture/disk.js'
import { runRaces } from '../../torture/races.js'
import { createRandom } from '../../torture/random.js'
import { lookClosely, runRounds } from '../../torture/rounds.js'
import { SABOTAGES } from '../../torture/sabotages.js'
import type { Planned } from '../../torture/schedule.js'
import { tryToCatch } from '../../torture/self-test.js'
import { createVerdicts } from '../../torture/verdicts.js'

const SEED = 'every day'
/** The tests run beside others. */
const SERVING_LIMIT_MS = 20_000
const RACES = 1_500
const CUTS: readonly Planned[] = [
  { fault: 'cut', afterMs: 600 },
  { fault: 'cut', afterMs: 300 },
]
const KILLS: readonly Planned[] = [
  { fault: 'kill', afterMs: 300 },
  { fault: 'kill backend', afterMs: 300 },
  { fault: 'kill both', afterMs: 300 },
]

const folder = await mkdtemp(join(tmpdir(), 'stowage-faults-'))
const why = await whyNoDisk(folder)

// otherwise the first start would build
beforeAll(() => promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../bin/prepare.js')]), 120_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

async function expectHeld(name: string, schedule: readonly Planned[], races: number): Promise<void> {
  const said: string[] = []
  const print = (line: string) => said.push(line)
  const verdicts = createVerdicts(print)
  const random = createRandom(SEED)
  const hasDisk = schedule.some(({ fault }) => fault === 'cut')
  const arena = await openArena({ folder: join(folder, name), hasDisk, servingLimitMs: SERVING_LIMIT_MS, verdicts })
  try {
    const { operations } = await runRounds({ ground: arena, random, schedule, goOn: () => true, workers: 8, settleMs: 0, print, verdicts })
    expect(operations).toBeGreaterThan(10 * schedule.length)
    await lookClosely(arena, verdicts)
    if (races > 0) {
      const { pairs, ofPairs } = await runRaces({ arena, random, operations: races, verdicts, print })
      expect(pairs).toBeGreaterThan(ofPairs / 2)
    }
  } finally {
    await arena.close()
  }
  expect(verdicts.broken(), said.join('\n')).toEqual([])
}

async function expectNoticed(name: string): Promise<void> {
  const sabotage = SABOTAGES.find((one) => one.name === name)
  if (!sabotage) throw new Error(`there is no sabotage ${name}`)
  const said: string[] = []
  const result = await tryToCatch(sabotage, { folder, seed: SEED, hasDisk: true, print: (line) => said.push(line) })
  expect(result?.isCaught, said.join('\n')).toBe(true)
}

describe.skipIf(why !== null)(`power cuts${why === null ? '' : ` (skipped: ${why})`}`, { timeout: 120_000 }, () => {
  test('lose nothing that was answered', () => expectHeld('cuts', CUTS, 0))

  test('would be seen to lose bytes that are not synced', () => expectNoticed('bytes are not synced'))
})

describe('kills and races', { timeout: 120_000 }, () => {
  test('lose nothing that was answered, and have one order', () => expectHeld('kills', KILLS, RACES))

  test('would be seen to mix up who asks', () => expectNoticed('a connection keeps who asked before'))
})
