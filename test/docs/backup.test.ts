import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort, keysOf } from '../../demo/own-service.js'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const PAGE = await readFile(join(ROOT, 'docs/operations.md'), 'utf8')
const SETTINGS = { STOWAGE_SWEEP_GRACE: '1s', STOWAGE_SWEEP_INTERVAL: '100ms', STOWAGE_LOG_LEVEL: 'warn' }

/** The commands of the page behind `<!-- run: name -->`. */
function commands(name: string): string {
  const [, text] = new RegExp(`<!-- run: ${name} -->\\n\`\`\`sh\\n([^]*?)\`\`\``).exec(PAGE) ?? []
  if (text === undefined) throw new Error(`docs/operations.md has no commands called ${name}`)
  return text
}

type Said = { readonly code: number; readonly out: string; readonly err: string }

const shell = (script: string, env: NodeJS.ProcessEnv): Promise<Said> =>
  new Promise((resolve) => {
    const whole = `set -euo pipefail\nstowage() { '${process.execPath}' '${ROOT}/bin/stowage.js' "$@"; }\n${script}`
    execFile('bash', ['-c', whole], { env, maxBuffer: 2 ** 26 }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
  })

type Service = { readonly url: string; readonly env: NodeJS.ProcessEnv; readonly stop: () => Promise<void> }

async function serve(settings: Readonly<Record<string, string>>): Promise<Service> {
  const port = await freePort()
  const env = { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: String(port), ...SETTINGS, ...settings }
  const child = spawn(process.execPath, [join(ROOT, 'bin/stowage.js'), 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      said += text
    })
  }
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = `http://127.0.0.1:${port}`
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
  }
  for (let tries = 0; tries < 600; tries++) {
    const isReady = await fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return { url, env, stop }
    if (child.exitCode !== null) break
    await sleep(50)
  }
  child.kill('SIGKILL')
  throw new Error(`The service did not start:\n${said}`)
}

const contents = new Map(Array.from({ length: 25 }, (_, i) => [`kept/${i}`, randomBytes(i * 9_000)]))

async function client({ url, env }: Service) {
  const { serviceKey } = await keysOf(env)
  const headers = { authorization: `Bearer ${serviceKey}` }
  return {
    bucket: () =>
      fetch(`${url}/bucket`, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{"name":"b"}' }),
    put: (key: string, body: Buffer) => fetch(`${url}/object/b/${key}`, { method: 'PUT', headers, body }),
    remove: (key: string) => fetch(`${url}/object/b/${key}`, { method: 'DELETE', headers }),
    get: async (key: string) => {
      const answer = await fetch(`${url}/object/b/${key}`, { headers })
      return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) }
    },
  }
}

async function fill(service: Service): Promise<void> {
  const { bucket, put } = await client(service)
  expect((await bucket()).status).toBe(200)
  for (const [key, body] of contents) expect((await put(key, body)).status).toBe(200)
}

async function expectAll(service: Service): Promise<void> {
  const { get, put } = await client(service)
  for (const [key, body] of contents) {
    const answer = await get(key)
    expect([key, answer.status, answer.body.equals(body)]).toEqual([key, 200, true])
  }
  expect((await put('after', Buffer.from('the restore'))).status).toBe(200)
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stowage-backup-'))
  await chown(folder, process.getuid?.() ?? 0, process.getgid?.() ?? 0)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('the built-in database and its bytes, stopped, lost and put back', async () => {
  const env = { STOWAGE_DATA: join(folder, 'own/data'), BACKUP: join(folder, 'own/backup') }
  await mkdir(join(folder, 'own'))
  const before = await serve(env)
  await fill(before)
  await before.stop()
  expect(await shell(commands('cold backup'), before.env)).toMatchObject({ code: 0 })
  await rm(env.STOWAGE_DATA, { recursive: true })
  const restored = await shell(commands('cold restore'), before.env)
  expect(restored).toMatchObject({ code: 0, out: expect.stringMatching(/^25 objects, 2\.6 MiB: 0 damaged, 0 missing, 0 unreadable\.\n$/) })
  const after = await serve(env)
  await expectAll(after)
  // it is the database that the sweeper knew: nothing has to be accepted
  expect(JSON.parse((await shell('stowage sweep --dry-run', after.env)).out)).toMatchObject({ idle: null })
  await after.stop()
}, 120_000)

const BINARIES = ['18', '17', '16', '15'].map((major) => `/usr/lib/postgresql/${major}/bin`).find((place) => existsSync(`${place}/pg_dump`))

describe.skipIf(BINARIES === undefined || process.getuid?.() !== 0)('a PostgreSQL of its own', () => {
  let server: { readonly port: number; readonly stop: () => Promise<unknown> }
  let env: { DATABASE_URL: string; STOWAGE_DATA: string; BACKUP: string; PATH: string }
  const urlOf = (database: string) => `postgresql://postgres@127.0.0.1:${server.port}/${database}`

  beforeAll(async () => {
    server = await startServer(join(folder, 'server'), BINARIES ?? '')
    env = {
      DATABASE_URL: urlOf('first'),
      STOWAGE_DATA: join(folder, 'foreign/data'),
      BACKUP: join(folder, 'foreign/backup'),
      PATH: `${BINARIES}:${process.env.PATH}`,
    }
    await mkdir(env.BACKUP, { recursive: true })
    await run(`${BINARIES}/createdb`, ['--maintenance-db', urlOf('postgres'), 'first'])
    await run(`${BINARIES}/createdb`, ['--maintenance-db', urlOf('postgres'), 'second'])
  }, 60_000)
  afterAll(() => server.stop())

  test('is backed up while it is written to, and put back into another database', async () => {
    const before = await serve(env)
    await fill(before)
    const { put, remove } = await client(before)
    let writing = true
    // whatever is overwritten and removed meanwhile would be swept within a second
    const writers = Array.from({ length: 3 }, async (_, writer) => {
      for (let i = 0; writing; i++) {
        await put(`busy/${writer}`, randomBytes(2_000))
        await put(`fleeting/${writer}/${i}`, randomBytes(500))
        if (i > 3) await remove(`fleeting/${writer}/${i - 3}`)
      }
    })
    const slowly = commands('backup').replace('\ncp ', '\nsleep 3\ncp ')
    expect(await shell(slowly, { ...before.env, ...env })).toMatchObject({ code: 0 })
    writing = false
    await Promise.all(writers)
    await before.stop()

    await rm(env.STOWAGE_DATA, { recursive: true })
    const second = { ...env, DATABASE_URL: urlOf('second') }
    const restored = await shell(commands('restore'), { ...before.env, ...second })
    expect(restored, restored.err).toMatchObject({ code: 0 })
    expect(restored.out).toMatch(/objects, .*: 0 damaged, 0 missing, 0 unreadable\./)
    const after = await serve(second)
    await expectAll(after)
    await after.stop()
  }, 120_000)

  test('is not swept, before it is accepted, by rows that are older than the bytes', async () => {
    const second = { ...SETTINGS, ...env, DATABASE_URL: urlOf('second') }
    const dump = join(env.BACKUP, 'older.dump')
    await run(`${BINARIES}/pg_dump`, ['--format=custom', `--file=${dump}`, second.DATABASE_URL])
    const newer = await serve(second)
    const { put } = await client(newer)
    for (let i = 0; i < 5; i++) expect((await put(`newer/${i}`, randomBytes(100))).status).toBe(200)
    await newer.stop()
    const stored = async () =>
      (await readdir(join(env.STOWAGE_DATA, 'bytes'), { recursive: true })).filter((name) => /[0-9a-f]{12}$/.test(name)).sort()
    const had = await stored()

    await run(`${BINARIES}/createdb`, ['--maintenance-db', urlOf('postgres'), 'older'])
    await run(`${BINARIES}/pg_restore`, ['--exit-on-error', `--dbname=${urlOf('older')}`, dump])
    const older = { ...env, DATABASE_URL: urlOf('older') }
    const service = await serve(older)
    for (let i = 0; i < 3; i++) {
      const swept = await shell('stowage sweep --scan', { ...service.env })
      expect(JSON.parse(swept.out)).toMatchObject({
        idle: expect.stringMatching(/read in from a dump.*stowage scrub.*--accept-database/),
        scan: null,
      })
      await sleep(1_200)
    }
    expect(await stored()).toEqual(had)
    await service.stop()
  }, 120_000)

  test('shows what a restore lacks', async () => {
    const bytes = join(env.STOWAGE_DATA, 'bytes')
    const { stdout } = await run(`${BINARIES}/psql`, [
      '-Atc',
      'select version from storage.objects order by version limit 15',
      urlOf('second'),
    ])
    const files = stdout
      .trim()
      .split('\n')
      .map((version) => join(version.slice(0, 2), version.slice(2, 4), version))
    expect(files).toHaveLength(15)
    const second = { ...SETTINGS, ...env, DATABASE_URL: urlOf('second') }
    const aside = join(folder, 'aside')
    await cp(bytes, aside, { recursive: true })
    for (const file of files.slice(0, 10)) await rm(join(bytes, file))
    for (const file of files.slice(10, 15)) await writeFile(join(bytes, file), 'rot')
    const found = await shell('stowage scrub --json --bucket b', second)
    expect(found.code).toBe(2)
    const lines = found.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    const summary = lines.at(-1)
    expect(summary).toMatchObject({ kind: 'summary', complete: true })
    expect(Number(summary?.missing) + Number(summary?.damaged)).toBe(lines.length - 1)
    expect([summary?.missing, summary?.damaged]).toEqual([10, 5])
    await cp(aside, bytes, { recursive: true, force: true })
    expect((await shell('stowage scrub --rate 100MB', second)).code).toBe(0)
    for (const wrong of ['--rate fast', '--after here', '--bucket']) expect((await shell(`stowage scrub ${wrong}`, second)).code).toBe(1)
  }, 120_000)
})

/** PostgreSQL does not run as root. */
async function startServer(place: string, binaries: string): Promise<{ port: number; stop: () => Promise<unknown> }> {
  const { stdout } = await run('id', ['-u', 'postgres'])
  const uid = Number(stdout)
  await mkdir(place, { recursive: true })
  await chown(folder, uid, -1)
  await chown(place, uid, -1)
  const as = { uid, cwd: '/', env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } }
  await run(`${binaries}/initdb`, ['-D', `${place}/data`, '-U', 'postgres', '--auth=trust', '-E', 'UTF8'], as)
  const port = await freePort()
  const control = [`${binaries}/pg_ctl`, '-D', `${place}/data`, '-w'] as const
  await run(
    control[0],
    [...control.slice(1), '-l', `${place}/log`, '-o', `-p ${port} -c listen_addresses=127.0.0.1 -k ${place}`, 'start'],
    as,
  )
  return { port, stop: () => run(control[0], [...control.slice(1), '-m', 'fast', 'stop'], as) }
}
