// `npm test [-- topic ...]`: installs and builds what is stale, then runs the tests of these topics (folders below test/, or parts of
// file names), or all. With --bless it rewrites the goldens that differ.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { prepare } from './prepare.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const args = process.argv.slice(2)
const bless = args.includes('--bless')
const topics = args.filter((arg) => arg !== '--bless').map((arg) => (existsSync(`${root}test/${arg}`) ? `test/${arg}` : arg))

if (bless && process.env.CI) {
  console.error('Goldens are not rewritten under CI: bless them where you can read the diff.')
  process.exit(1)
}

await prepare({ development: true })

const vitest = spawn(process.execPath, [`${root}node_modules/vitest/vitest.mjs`, 'run', ...topics], {
  cwd: root,
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, ...(bless ? { BLESS_GOLDENS: '1' } : {}) },
})
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, () => vitest.kill(signal))
vitest.on('exit', (code) => {
  process.exitCode = code ?? 1
})
