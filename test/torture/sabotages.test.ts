import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { SABOTAGES } from '../../torture/sabotages.js'

const ROOT = join(import.meta.dirname, '../..')

beforeAll(() => promisify(execFile)(process.execPath, [join(ROOT, 'bin/prepare.js')]), 120_000)

/** Only some are tried by every run of the tests; a text that has changed meanwhile would be noticed by the next long run. */
describe('every sabotage fits the compiled modules', () => {
  test.each(SABOTAGES.map(({ name, edits }) => ({ name, edits })))('$name', async ({ edits }) => {
    for (const { file, find } of edits) expect(await readFile(join(ROOT, 'dist', file), 'utf8'), file).toContain(find)
  })
})
