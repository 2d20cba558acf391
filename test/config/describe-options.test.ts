import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeOptions } from '../../src/config/describe-options.ts'

const page = join(import.meta.dirname, '../../docs/configuration.md')

it('docs/configuration.md shows the settings as they are (npm run bless -- describe-options)', async () => {
  if (process.env.BLESS_GOLDENS) await writeFile(page, describeOptions())
  expect(await readFile(page, 'utf8')).toBe(describeOptions())
})
