import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

test.each(['tsconfig.json', 'tsconfig.test.json'])(
  'the compiler accepts what %s covers',
  async (project) => {
    const tsc = promisify(execFile)(process.execPath, ['node_modules/typescript/bin/tsc', '--noEmit', '--pretty', 'false', '-p', project], {
      cwd: ROOT,
    })
    const problems = await tsc.then(
      () => '',
      (error: { stdout?: string; message: string }) => error.stdout || error.message,
    )
    if (problems) expect.fail(`\n${problems}`)
  },
  120_000,
)
