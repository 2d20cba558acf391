import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openFleet } from '../../torture/fleet.js'
import { createRandom } from '../../torture/random.js'
import { lookClosely, runRounds } from '../../torture/rounds.js'
import { makeFleetSchedule, type Planned } from '../../torture/schedule.js'
import { createVerdicts } from '../../torture/verdicts.js'
import { s3Program } from '../support/s3-server.ts'

const SEED = 'every day'
/** The tests run beside others. */
const SERVING_LIMIT_MS = 30_000
const FAULTS: readonly Planned[] = [
  { fault: 'freeze one and kill another', afterMs: 400 },
  { fault: 'freeze one', afterMs: 300 },
]

const folder = await mkdtemp(join(tmpdir(), 'stowage-fleet-'))
const program = await s3Program('three processes on one bucket')

// otherwise the first start would build
beforeAll(() => promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../bin/prepare.js')]), 120_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

async function expectHeld(name: string, gateway: string | null, schedule: readonly Planned[]): Promise<void> {
  const said: string[] = []
  const print = (line: string) => said.push(line)
  const verdicts = createVerdicts(print)
  const random = createRandom(SEED)
  const fleet = await openFleet({ folder: join(folder, name), processes: 3, gateway, servingLimitMs: SERVING_LIMIT_MS, random, verdicts })
  try {
    const { operations } = await runRounds({ ground: fleet, random, schedule, goOn: () => true, workers: 8, settleMs: 0, print, verdicts })
    expect(operations).toBeGreaterThan(30 * schedule.length)
    await lookClosely(fleet, verdicts)
  } finally {
    await fleet.close()
  }
  expect(verdicts.broken(), said.join('\n')).toEqual([])
}

describe('three processes on one database, of which some are killed, frozen and thawed', { timeout: 180_000 }, () => {
  test('lose nothing that was answered, on one folder', () => expectHeld('folder', null, FAULTS))

  test.skipIf(program === null)('nor on one bucket, whose server is killed, too', () =>
    expectHeld('bucket', program, [...FAULTS, { fault: 'kill store', afterMs: 300 }]),
  )
})

test('the same seed gives the same faults', () => {
  const drawn = (seed: string) => {
    const schedule = makeFleetSchedule(createRandom(seed), { hasGateway: true })
    return Array.from({ length: 60 }, () => schedule.next().value)
  }
  expect(drawn('a')).toEqual(drawn('a'))
  expect(drawn('a')).not.toEqual(drawn('b'))
  expect(new Set(drawn('a').flatMap((planned) => planned?.fault ?? []))).toContain('freeze store')
})
