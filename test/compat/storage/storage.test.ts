import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SECRET, type StorageService, startStorageService } from '../../http/storage/storage-service.ts'
import type { CaseFile } from './case-file.ts'
import { createPlayer, type Player } from './player.ts'

const HERE = import.meta.dirname
const read = (path: string): CaseFile => JSON.parse(readFileSync(join(HERE, path), 'utf8'))

let service: StorageService
let play: Player

beforeAll(async () => {
  service = await startStorageService('compat')
  const database = await service.database.connect()
  await database.query(readFileSync(join(HERE, 'world.sql'), 'utf8'))
  play = createPlayer({ base: new URL(service.url), secret: SECRET, database })
})
afterAll(() => service.close())

for (const name of readdirSync(join(HERE, 'cases')).sort()) {
  const file = read(`cases/${name}`)
  describe(file.topic, () => {
    for (const test of file.cases) {
      it(`${test.id}: ${test.about}`, async () => {
        const results = await play(file, test)
        const wrong = results.filter(({ step, differences }) => !step.quirk && differences.length > 0)
        expect(wrong.map((r) => [`${r.name}: ${r.step.sql ?? `${r.step.as} ${r.step.method} ${r.step.path}`}`, ...r.differences].join('\n    '))).toEqual([])
      })
    }
  })
}
