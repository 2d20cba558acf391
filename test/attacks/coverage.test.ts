import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Attack } from './attack.ts'
import { CATALOGUE } from './catalogue.ts'
import { ATTACK_IDS } from './catalogue-ids.ts'

const attacks: readonly Attack[] = Object.values(CATALOGUE).flat()
const ids = new Set(attacks.map(({ id }) => id))
const isOurOwn = (id: string): boolean => Number(id.slice(3)) > 100

describe('the attack catalogue', () => {
  test('has every attack', () => {
    expect(ATTACK_IDS.filter((id) => !ids.has(id))).toEqual([])
  })

  test('has no numbers of nobody', () => {
    expect([...ids].filter((id) => !isOurOwn(id) && !ATTACK_IDS.includes(id))).toEqual([])
  })

  test('runs every attack in every run, long ones in a shorter form', () => {
    const alwaysRun = new Set(attacks.filter(({ long }) => !long).map(({ id }) => id))
    expect([...ids].filter((id) => !alwaysRun.has(id)).sort()).toEqual(LONG_ONLY)
  })

  test('is run: each of its parts by one file', async () => {
    const files = (await readdir(import.meta.dirname)).filter((name) => name.endsWith('.test.ts') && name !== 'coverage.test.ts')
    const texts = await Promise.all(files.map((name) => readFile(join(import.meta.dirname, name), 'utf8')))
    const calls = texts.flatMap((text) =>
      [...text.matchAll(/runAttacks\(\s*\[([^\]]*)\]/g)].flatMap(([, parts = '']) =>
        [...parts.matchAll(/'([^']+)'/g)].map(([, part]) => part),
      ),
    )
    expect(calls.sort()).toEqual(Object.keys(CATALOGUE).sort())
  })
})

/** With ATTACKS=all alone: they take minutes, or want a machine that lets them. */
const LONG_ONLY = ['GQ-42', 'KY-26', 'RX-05', 'RX-07']
