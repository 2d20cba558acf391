import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readTree } from '../support/source-tree.ts'
import { cleanEnvironment, expectToWork, run, startInstalled } from './installed-service.ts'

const ROOT = join(import.meta.dirname, '../..')
const env = cleanEnvironment()

let scratch: string
let tarball: string
let files: readonly string[]

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'tarball-'))
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', scratch], { cwd: ROOT, env, maxBuffer: 2 ** 24 })
  // what is built on the way is said on standard error; a later npm names the packages
  const said = JSON.parse(stdout) as
    | { filename: string; files: { path: string }[] }[]
    | Record<string, { filename: string; files: { path: string }[] }>
  const [packed] = Object.values(said)
  tarball = join(scratch, packed?.filename ?? '')
  files = (packed?.files ?? []).map(({ path }) => path)
}, 120_000)
afterAll(() => rm(scratch, { recursive: true, force: true }))

describe('the packed package', () => {
  it('holds what runs and what is to be read, and nothing else', async () => {
    const wanted = (
      await Promise.all([
        readTree(ROOT, 'migrations', ['.sql']),
        readTree(ROOT, 'sql', ['.sql']),
        readTree(ROOT, 'extension', ['.sql', '.control']),
      ])
    )
      .flat()
      .map(({ path }) => path)
    const compiled = (await readTree(ROOT, 'src', ['.ts'])).map(({ path }) => path.replace(/^src\/(.*)\.ts$/, 'dist/$1.js'))
    for (const path of [...wanted, ...compiled, 'LICENSE', 'README.md', 'CHANGELOG.md', 'bin/stowage.js', 'docs/operations.md'])
      expect(files, path).toContain(path)
    const folders = new Set(files.map((path) => (path.includes('/') ? path.split('/')[0] : path)))
    expect([...folders].sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'bin',
      'dist',
      'docs',
      'extension',
      'migrations',
      'package.json',
      'sql',
    ])
    expect(files.filter((path) => /(?:^|\/)(?:keys\.json|\.env|.*\.tgz|.*\.test\..*|package-lock\.json)$/.test(path))).toEqual([])
  })

  it('has a link target for every file that its README links to', async () => {
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
    const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)].map(([, to = '']) => to.replace(/\/$/, ''))
    expect(links.length).toBeGreaterThan(3)
    const here = (to: string) => files.some((path) => path === to || path.startsWith(`${to}/`))
    // for those who change it, not for those who use it
    expect(links.filter((to) => !here(to) && !/^(?:ARCHITECTURE|CONTRIBUTING|SECURITY)\.md$|^(?:bench|demo|test|src)\b/.test(to))).toEqual(
      [],
    )
  })
})

describe('npx stowage in an empty folder', { timeout: 240_000 }, () => {
  it('shows its help, serves, takes a file and a question, and stops', async () => {
    const folder = join(scratch, 'empty')
    await mkdir(folder)
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--omit=dev', tarball], {
      cwd: folder,
      env,
      maxBuffer: 2 ** 24,
    })
    const npx = (...args: readonly string[]) =>
      run('npx', ['stowage', ...args], { cwd: folder, env: { ...env, STOWAGE_LOG_LEVEL: 'warn' } })

    const { stdout: help } = await npx('--help')
    for (const command of ['serve', 'keys', 'migrate', 'check-config', 'extension', 'print-schema', 'explain', 'sweep'])
      expect(help).toMatch(new RegExp(`^  ${command}\\b`, 'm'))
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    expect((await npx('--version')).stdout.trim()).toBe(version)

    const service = await startInstalled(['npx', 'stowage', 'serve'], { cwd: folder, env: { ...env, STOWAGE_LOG_LEVEL: 'warn' } })
    try {
      expect(service.said()).toContain(`Stowage is ready at ${service.baseUrl}`)
      await expectToWork(service.baseUrl, JSON.parse((await npx('keys', '--json')).stdout))
    } finally {
      await service.stop()
    }
    // npx hands no signal on, and still nothing is left behind
    await expect(fetch(`${service.baseUrl}/health/live`)).rejects.toThrow('fetch failed')
    // what it leaves in the folder it was called in is its data, and nothing was written into the package
    expect((await readdir(folder)).sort()).toEqual(['.stowage', 'node_modules', 'package-lock.json', 'package.json'])

    // the library, as a program beside it would use it
    const script = `import { createGraphql, createService } from 'stowage'; console.log(typeof createGraphql, typeof createService)`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder, env })
    expect(stdout).toBe('function function\n')
  })
})
