import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectGolden, goldenFiles, headingValue, parseGolden, printGolden, sectionOf } from './golden.ts'
import { freshDatabase, withClient } from './postgres.ts'

describe('databases', () => {
  test('a fresh database is empty, and gone when dropped', async () => {
    const database = await freshDatabase('support')
    const client = await database.connect()
    const { rows } = await client.query(`select count(*)::int as tables from pg_class where relnamespace = 'public'::regnamespace`)
    expect(rows).toEqual([{ tables: 0 }])
    await database.drop()
    await expect(withClient(database.url, async () => {})).rejects.toThrow(/does not exist/)
  })

  test('a template is built once, and its copies do not share rows', async () => {
    let builds = 0
    const template = {
      name: 'support',
      build: async (url: string) => {
        builds++
        await withClient(url, (client) => client.query('create table number (n int); insert into number values (1)'))
      },
    }
    const [a, b] = await Promise.all([freshDatabase('a', template), freshDatabase('b', template)])
    await withClient(a.url, (client) => client.query('insert into number values (2)'))
    const { rows } = await withClient(b.url, (client) => client.query('select n from number'))
    expect(rows).toEqual([{ n: 1 }])
    expect(builds).toBe(1)
    await Promise.all([a.drop(), b.drop()])
  })
})

describe('goldens', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stowage-golden-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const text = '# Why.\nrole: anon\n---- request\n{ a }\n---- sql (statements: 1, trips: 1)\nselect 1\nfrom b\n---- values\n'

  test('a file read and printed is the same file', () => {
    const golden = parseGolden(text)
    expect(printGolden(golden)).toBe(text)
    expect(headingValue(golden, 'role')).toBe('anon')
    expect(sectionOf(golden, 'sql')).toBe('select 1\nfrom b')
    expect(sectionOf(golden, 'values')).toBe('')
    expect(sectionOf(golden, 'plan')).toBeUndefined()
  })

  test('equal passes; different and missing fail, and change nothing', async () => {
    const file = join(folder, 'case.golden')
    await writeFile(file, text)
    await expectGolden(file, parseGolden(text))
    if (process.env.BLESS_GOLDENS === '1') return
    await expect(expectGolden(file, [['request', '{ b }']])).rejects.toThrow(/npm run bless/)
    await expect(expectGolden(join(folder, 'none.golden'), [['request', '{ b }']])).rejects.toThrow(/does not exist yet/)
    expect(await readFile(file, 'utf8')).toBe(text)
    expect(await goldenFiles(folder)).toEqual([file])
  })

  test('a body cannot pose as a section', () => {
    expect(() => printGolden({ heading: '', sections: [['a', 'x\n---- b\ny']] })).toThrow(/begins like a section/)
  })
})
