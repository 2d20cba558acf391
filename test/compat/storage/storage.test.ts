import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytes, seconds } from '../../../src/std/brand.ts'
import { SECRET, type StorageService, type StorageServiceOptions, startStorageService } from '../../http/storage/storage-service.ts'
import type { CaseFile } from './case-file.ts'
import { readListedSteps } from './listed-steps.ts'
import { createPlayer, type Player, type StepResult } from './player.ts'

const HERE = import.meta.dirname
const read = (path: string): CaseFile => JSON.parse(readFileSync(join(HERE, path), 'utf8'))
const listed = readListedSteps()

describe('by default', () => {
  const names = readdirSync(join(HERE, 'cases')).sort()
  playAgainst('compat', {}, ...names.map((name) => `cases/${name}`))
})
describe('with shared caches in front', () => {
  playAgainst('caching', { caching: { sharedMaxAge: 60, etagHeaders: ['if-none-match', 'x-etag'] } }, 'settings/caching.json')
})
describe('with limits', () => {
  const limits = { maxPlainUploadBytes: bytes(20), maxBulkKeys: 1000, maxObjectsToEmpty: 2, uploadUrlLife: seconds(1) }
  playAgainst('limits', { limits }, 'settings/limits.json')
})
describe('without a limit', () => {
  playAgainst('no_limit', { limits: { maxObjectBytes: null } }, 'settings/no-limit.json')
})
describe('with keys of several kinds', () => {
  const { JWT_JWKS: jwks = '' } = read('settings/jwks.json').settings ?? {}
  playAgainst('jwks', { jwks }, 'settings/jwks.json')
})

/** Every recorded case against a server of its own. What differs is what docs/compatibility-storage.md says, no more and no less. */
function playAgainst(name: string, options: StorageServiceOptions, ...paths: readonly string[]): void {
  let service: StorageService
  let play: Player
  beforeAll(async () => {
    service = await startStorageService(name, options)
    const database = await service.database.connect()
    await database.query(readFileSync(join(HERE, 'world.sql'), 'utf8'))
    play = createPlayer({ base: new URL(service.url), secret: SECRET, database })
  })
  afterAll(() => service.close())

  for (const path of paths) {
    const file = read(path)
    for (const test of file.cases) {
      const title = `${file.topic}/${test.id}`
      it(`${title}: ${test.about}`, async () => {
        const results = await play(file, test)
        expect(results.flatMap((result) => surprise(title, result))).toEqual([])
      })
    }
  }
}

function surprise(title: string, { number, step, differences }: StepResult): readonly string[] {
  const name = `${title} ${number}: ${step.sql ?? `${step.as ?? 'nobody'} ${step.method} ${step.path}`}`
  const differs = differences.length > 0
  if (differs && !listed.differ(title, number)) return [[name, ...differences].join('\n      ')]
  if (!differs && listed.differ(title, number)) return [`${name}\n      is listed as different, and is not`]
  if (!differs && step.quirk && !listed.shared(title, number)) return [`${name}\n      shares a fault that is not listed: ${step.quirk}`]
  return []
}
