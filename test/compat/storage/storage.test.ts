import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytes, seconds } from '../../../src/std/brand.ts'
import { SECRET, type StorageService, type StorageServiceOptions, startStorageService } from '../../http/storage/storage-service.ts'
import type { CaseFile } from './case-file.ts'
import { createPlayer, type Player } from './player.ts'

const HERE = import.meta.dirname
const read = (path: string): CaseFile => JSON.parse(readFileSync(join(HERE, path), 'utf8'))

function playAgainst(name: string, options: StorageServiceOptions, paths: readonly string[]): void {
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
    describe(file.topic, () => {
      for (const test of file.cases) {
        it(`${test.id}: ${test.about}`, async () => {
          const results = await play(file, test)
          for (const r of results) appendFileSync('/tmp/b2/steps.txt', `${r.name}\t${r.step.quirk ? 'Q' : '-'}\t${r.differences.length ? 'DIFF' : 'same'}\t${r.step.quirk ?? ''}\n`)
          const wrong = results.filter(({ step, differences }) => !step.quirk && differences.length > 0)
          expect(wrong.map((r) => [`${r.name}: ${r.step.sql ?? `${r.step.as} ${r.step.method} ${r.step.path}`}`, ...r.differences].join('\n    '))).toEqual([])
        })
      }
    })
  }
}

describe('by default', () => {
  playAgainst('compat', {}, readdirSync(join(HERE, 'cases')).sort().map((name) => `cases/${name}`))
})
describe('shared caches', () => {
  playAgainst('caching', { caching: { sharedMaxAge: 60, etagHeaders: ['if-none-match', 'x-etag'] } }, ['settings/caching.json'])
})
describe('limits', () => {
  const limits = { maxPlainUploadBytes: bytes(20), maxBulkKeys: 1000, maxObjectsToEmpty: 2, uploadUrlLife: seconds(1) }
  playAgainst('limits', { limits }, ['settings/limits.json'])
})
describe('no limit', () => {
  playAgainst('no_limit', { limits: { maxObjectBytes: null } }, ['settings/no-limit.json'])
})
describe('keys of several kinds', () => {
  const { JWT_JWKS: jwks = '' } = read('settings/jwks.json').settings ?? {}
  playAgainst('jwks', { jwks }, ['settings/jwks.json'])
})
