import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { bytesCommand } from '../../src/cli/bytes.ts'
import { exportCommand } from '../../src/cli/export.ts'
import { importCommand } from '../../src/cli/import.ts'
import { OPTIONS } from '../../src/config/options.ts'

const page = await readFile(join(import.meta.dirname, '../../docs/moving.md'), 'utf8')

test('docs/moving.md names commands, options and settings that there are', () => {
  const copy = bytesCommand().commands.find((command) => command.name() === 'copy')
  const commands = new Map<string, Command | undefined>([
    ['import', importCommand()],
    ['export', exportCommand()],
    ['bytes copy', copy],
  ])
  const lines = [...page.matchAll(/\bstowage ((?:bytes )?[a-z]+)((?:[^\n`]|\\\n)*)/g)]
  expect(lines.length).toBeGreaterThan(5)
  for (const [, name = '', rest = ''] of lines) {
    const known = commands.get(name)?.options.map(({ long }) => long)
    expect(known, name).toBeDefined()
    for (const [flag] of rest.matchAll(/--[a-z-]+/g)) expect(known, `stowage ${name}`).toContain(flag)
  }
  const settings = Object.values(OPTIONS).map(({ env }) => env as string)
  for (const [name] of page.matchAll(/\bSTOWAGE_[A-Z0-9_]+/g)) expect(settings).toContain(name)
})
