// Brings a clone into a state that runs: installs packages that are missing and builds what is older than its source.
// Uses nothing but Node, since nothing else is there on first use. In an installed package there is nothing to do.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const OLDEST_NODE = [20, 19]

/** The step that cannot be done, in one sentence. */
class PrepareError extends Error {}

/**
 * @param {{ development?: boolean }} [options] development: the packages for tests and tools are needed too
 * @returns {Promise<void>} ends the process with a sentence and exit code 1 when it cannot be done
 */
export async function prepare({ development = false } = {}) {
  try {
    checkNode()
    if (!existsSync(join(root, 'package-lock.json'))) return
    if (!isInstalled(development) || !isBuilt()) await withLock(() => bringUpToDate(development))
  } catch (error) {
    if (!(error instanceof PrepareError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return
  throw new PrepareError(
    `Stowage needs Node ${OLDEST_NODE.join('.')} or newer, and this is ${process.versions.node}: install a newer one from nodejs.org.`,
  )
}

/** @param {boolean} development */
async function bringUpToDate(development) {
  const mustBuild = !isBuilt()
  if (!isInstalled(development || mustBuild)) await install()
  if (!isBuilt()) await build()
}

/**
 * True if every package of the lock file is there in its version. npm notes what it has installed in a hidden lock file.
 * @param {boolean} development
 */
function isInstalled(development) {
  const wanted = readLock('package-lock.json')
  const present = readLock('node_modules/.package-lock.json')
  return Object.entries(wanted).every(
    ([path, { version, optional, dev }]) => path === '' || optional || (dev && !development) || present[path]?.version === version,
  )
}

/**
 * @param {string} path
 * @returns {Record<string, { version?: string, optional?: boolean, dev?: boolean }>}
 */
function readLock(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), 'utf8')).packages ?? {}
  } catch {
    return {}
  }
}

async function install() {
  const npm = process.env.npm_execpath
  const args = ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund']
  const command = npm ? [process.execPath, npm, ...args] : [process.platform === 'win32' ? 'npm.cmd' : 'npm', ...args]
  await step('installing packages', command, 'the packages could not be installed (npm ci): see above')
}

/** True if the compiled files are those of the source: by content, since a checkout changes times. */
function isBuilt() {
  try {
    return !existsSync(join(root, 'src')) || readFileSync(join(root, 'dist/.source'), 'utf8') === sourceHash()
  } catch {
    return false
  }
}

function sourceHash() {
  const hash = createHash('sha256')
  const add = (/** @type {string} */ path) =>
    hash
      .update(`${relative(root, path)}\0`)
      .update(readFileSync(path))
      .update('\0')
  add(join(root, 'tsconfig.json'))
  const walk = (/** @type {string} */ folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) walk(path)
      else if (entry.name.endsWith('.ts')) add(path)
    }
  }
  walk(join(root, 'src'))
  return hash.digest('hex')
}

/** Compiles beside the old result and swaps, so that a failed or interrupted build leaves what there was. */
async function build() {
  const unfinished = join(root, 'dist.new')
  const hash = sourceHash()
  rmSync(unfinished, { recursive: true, force: true })
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  await step(
    'building',
    [process.execPath, tsc, '-p', join(root, 'tsconfig.json'), '--outDir', unfinished],
    'the source could not be built: see above',
  )
  writeFileSync(join(unfinished, '.source'), hash)
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  renameSync(unfinished, join(root, 'dist'))
}

/**
 * @param {string} what
 * @param {string[]} command
 * @param {string} failure
 */
async function step(what, [program = '', ...args], failure) {
  const began = Date.now()
  const seconds = () => `${Math.round((Date.now() - began) / 1000)} s`
  console.error(`stowage: ${what} ...`)
  const progress = setInterval(() => console.error(`stowage: ${what}, ${seconds()}`), 10_000)
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 2, 2] })
  const stop = () => child.kill('SIGTERM')
  process.once('SIGTERM', stop).once('SIGINT', stop)
  const code = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', resolve)
  })
  process.off('SIGTERM', stop).off('SIGINT', stop)
  clearInterval(progress)
  if (code !== 0) throw new PrepareError(`stowage: ${failure} (${code}).`)
  console.error(`stowage: ${what} done, ${seconds()}`)
}

/**
 * One at a time: two commands in one clone would pull the packages from under each other.
 * @param {() => Promise<void>} work
 */
async function withLock(work) {
  const lock = join(root, '.tmp/prepare.pid')
  mkdirSync(join(root, '.tmp'), { recursive: true })
  let told = false
  while (!take(lock)) {
    const holder = Number(readOrEmpty(lock))
    if (holder && !isAlive(holder)) rmSync(lock, { force: true })
    else if (!told) console.error(`stowage: waiting for process ${holder} that prepares this folder (${lock})`)
    told = true
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  try {
    await work()
  } finally {
    rmSync(lock, { force: true })
  }
}

/** @param {string} lock */
function take(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false
    throw new PrepareError(`stowage: this folder cannot be written: ${/** @type {Error} */ (error).message}`)
  }
}

/** @param {string} path */
function readOrEmpty(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM'
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await prepare({ development: true })
