import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

test('biome has nothing to say', async () => {
  const biome = promisify(execFile)(
    process.execPath,
    ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '--max-diagnostics=200', '--colors=off'],
    { cwd: ROOT, maxBuffer: 64 << 20 },
  )
  const problems = await biome.then(
    () => '',
    (error: { stdout?: string; stderr?: string; message: string }) => error.stderr || error.stdout || error.message,
  )
  if (problems) expect.fail(`\n${problems}`)
})
