import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { DIFFERENCES } from '../compat/graphql/differences.ts'
import { expectGenerated } from './generated.ts'

const PAGE = join(import.meta.dirname, '../../docs/compatibility.md')
const WORLDS = join(import.meta.dirname, '../compat/graphql/worlds')

/** What the record calls a quirk of the peer, by `world/topic/name`. */
function quirks(): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const world of readdirSync(WORLDS, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    const folder = join(WORLDS, world.name, 'recorded')
    for (const file of readdirSync(folder).sort()) {
      const cases = JSON.parse(readFileSync(join(folder, file), 'utf8')) as readonly { name: string; quirk?: string }[]
      for (const { name, quirk } of cases) if (quirk) found.set(`${world.name}/${file.replace(/\.json$/, '')}/${name}`, quirk)
    }
  }
  return found
}

const row = (...cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
const listed = (cases: readonly string[]): string => cases.map((name) => `\`${name}\``).join('<br>')

test('every deliberate difference is told, with its cases', async () => {
  const known = quirks()
  const rows = DIFFERENCES.map(({ ours, theirs, cases, also = [] }) => {
    const peers = new Set(theirs === undefined ? cases.flatMap((name) => known.get(name) ?? []) : [theirs])
    return row(ours, [...peers].join('; '), listed([...cases, ...also]))
  })
  await expectGenerated(PAGE, 'differences', ['| Stowage | pg_graphql 1.6 | Cases |', '|---|---|---|', ...rows].join('\n'))
})

test('every fault that is shared is told, with its cases', async () => {
  const different = new Set(DIFFERENCES.flatMap(({ cases }) => cases))
  const shared = new Map<string, string[]>()
  for (const [name, quirk] of quirks()) if (!different.has(name)) shared.set(quirk, [...(shared.get(quirk) ?? []), name])
  const rows = [...shared].map(([quirk, cases]) => row(quirk, listed(cases)))
  await expectGenerated(PAGE, 'shared', ['| What both do | Cases |', '|---|---|', ...rows].join('\n'))
})
