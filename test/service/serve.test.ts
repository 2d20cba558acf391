import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { freshDatabase } from '../support/postgres.ts'

const bin = join(import.meta.dirname, '../../bin/stowage.js')
let folder: string
let port: number
const running = new Set<Started>()

type Started = {
  readonly child: ChildProcess
  readonly out: () => string
  readonly err: () => string
  readonly exited: Promise<number | NodeJS.Signals | null>
}

// otherwise the first command would build, and say so
beforeAll(() => promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../bin/prepare.js')]), 120_000)
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'serve-'))
  port = await freePort()
})
afterEach(async () => {
  for (const { child, exited } of running) {
    child.kill('SIGTERM')
    await exited
  }
  running.clear()
  await rm(folder, { recursive: true, force: true })
})

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

/** The settings of the test and nothing else of ours; run from a folder that has nothing to do with it. */
function start(args: readonly string[] = [], settings: Record<string, string> = {}): Started {
  const env = { PATH: process.env.PATH, PORT: String(port), STOWAGE_DATA: join(folder, 'data'), ...settings }
  const child = spawn(process.execPath, [bin, ...args], { cwd: tmpdir(), env, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let err = ''
  child.stdout?.on('data', (chunk) => {
    out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    err += chunk
  })
  const started: Started = {
    child,
    out: () => out,
    err: () => err,
    exited: new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal))),
  }
  running.add(started)
  return started
}

async function serve(settings: Record<string, string> = {}): Promise<Started> {
  const started = start([], settings)
  let over = false
  started.exited.then(() => {
    over = true
  })
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null)
    if (answer?.status === 200) return started
    if (over) throw new Error(`the service ended: ${started.err()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function run(args: readonly string[], settings: Record<string, string> = {}): Promise<{ code: unknown; out: string; err: string }> {
  const started = start(args, settings)
  const code = await started.exited
  return { code, out: started.out(), err: started.err() }
}

const keysOf = async (): Promise<Record<string, string>> => JSON.parse((await run(['keys', '--json'])).out)

const serverPid = async (): Promise<number> => Number((await readFile(join(folder, 'data/postgres/postmaster.pid'), 'utf8')).split('\n')[0])

/** One that has ended and that nobody has buried has no command line. */
const isAlive = async (pid: number): Promise<boolean> => (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')) !== ''

/** The version that the extension's files offer. */
const offered = async (): Promise<string> => {
  const control = await readFile(join(import.meta.dirname, '../../extension/stowage_graphql.control'), 'utf8')
  return /default_version = '(.*)'/.exec(control)?.[1] ?? 'none'
}

describe('a service', { timeout: 120_000 }, () => {
  it('starts on nothing, says how to use it, keeps its secrets to itself, and stops clean', async () => {
    const service = await serve()
    await expect.poll(service.out).toContain('curl -X POST')
    expect(service.out()).toContain(`http://127.0.0.1:${port}`)
    const keys = await keysOf()
    expect(Object.keys(keys)).toEqual(['anonKey', 'serviceKey', 'jwtSecret', 'databaseUrl', 'baseUrl'])
    expect(keys.baseUrl).toBe(`http://127.0.0.1:${port}`)
    expect(service.out()).toContain(keys.anonKey)

    const line = /^curl .*$/m.exec(service.out())?.[0] ?? ''
    const answer = await new Promise<string>((resolve, reject) =>
      execFile('sh', ['-c', `${line} -s`], (error, out) => (error ? reject(error) : resolve(out))),
    )
    expect(answer).toBe('{"name":"photos"}')
    for (const name of ['keys.json', 'postgres.json', 'lock-id']) expect((await stat(join(folder, 'data', name))).mode & 0o777).toBe(0o600)
    expect((await stat(join(folder, 'data'))).mode & 0o007).toBe(0)

    const database = await serverPid()
    service.child.kill('SIGTERM')
    expect(await service.exited).toBe(0)
    expect(await isAlive(database)).toBe(false)

    const again = await serve()
    // the database's port is another when somebody took it in between
    expect(await keysOf()).toEqual({ ...keys, databaseUrl: expect.any(String) })
    expect(again.out()).not.toContain(keys.serviceKey)
  })

  it('starts again after it was killed, whether its database still runs or not, with what it had', async () => {
    const databasePort = String(await freePort())
    const first = await serve({ STOWAGE_POSTGRES_PORT: databasePort })
    const { serviceKey = '', databaseUrl = '' } = await keysOf()
    expect(new URL(databaseUrl).port).toBe(databasePort)
    const headers = { authorization: `Bearer ${serviceKey}`, 'content-type': 'application/json' }
    const made = await fetch(`http://127.0.0.1:${port}/bucket`, { method: 'POST', headers, body: '{"name":"kept"}' })
    expect(made.status).toBe(200)

    const left = await serverPid()
    first.child.kill('SIGKILL')
    await first.exited
    expect(await isAlive(left)).toBe(true)
    const second = await serve()
    expect(await isAlive(left)).toBe(false)
    expect(second.err()).toContain(`ending the PostgreSQL that was left running (process ${left})`)

    const killed = await serverPid()
    second.child.kill('SIGKILL')
    process.kill(killed, 'SIGKILL')
    await second.exited
    await serve()
    expect((await fetch(`http://127.0.0.1:${port}/bucket/kept`, { headers })).status).toBe(200)
  })

  it('goes on when its database is killed under it', async () => {
    const service = await serve()
    const { serviceKey } = await keysOf()
    const ask = () => fetch(`http://127.0.0.1:${port}/bucket`, { headers: { authorization: `Bearer ${serviceKey}` } })
    expect((await ask()).status).toBe(200)
    process.kill(await serverPid(), 'SIGKILL')
    await expect.poll(async () => (await ask()).status, { timeout: 20_000 }).toBe(200)
    expect(service.child.exitCode).toBe(null)
  })

  it('is one on a data folder', async () => {
    const first = await serve()
    const { code, err } = await run([], { PORT: String(await freePort()) })
    expect(err).toBe(
      `stowage: The data folder ${folder}/data is in use by process ${first.child.pid} (http://127.0.0.1:${port}): stop that one, or set STOWAGE_DATA to another folder.\n`,
    )
    expect(code).toBe(1)
  })

  it('uses the database it is given, and installs the extension there', async () => {
    const database = await freshDatabase('serve')
    try {
      const service = await serve({ DATABASE_URL: database.url })
      const { anonKey } = JSON.parse((await run(['keys', '--json'], { DATABASE_URL: database.url })).out)
      const answer = await fetch(`http://127.0.0.1:${port}/graphql/v1`, {
        method: 'POST',
        headers: { apikey: anonKey, 'content-type': 'application/json' },
        body: '{"query":"{ __typename }"}',
      })
      expect(await answer.json()).toEqual({ data: { __typename: 'Query' } })
      expect(existsSync(join(folder, 'data/postgres'))).toBe(false)
      const listed = await run(['extension', 'list'], { DATABASE_URL: database.url })
      expect(listed.out).toContain(await offered())
      service.child.kill('SIGINT')
      expect(await service.exited).toBe(0)
    } finally {
      await database.drop()
    }
  })
})

describe('what cannot be is said in one sentence', { timeout: 60_000 }, () => {
  it('a taken port', async () => {
    const other = createServer().listen(port, '127.0.0.1')
    const { code, err } = await run([])
    other.close()
    expect(err).toBe(`stowage: Port ${port} on 127.0.0.1 is taken by another program: stop that one, or set PORT to another.\n`)
    expect(code).toBe(1)
  })

  it.each([
    ['a bad setting', [], { PORT: '80x' }, 'stowage: PORT must be a whole number from 0 to 65535, not "80x"\n'],
    [
      'two bad settings',
      [],
      { PORT: '80x', STOWAGE_NOPE: '1' },
      'stowage: several things are wrong:\n  - PORT must be a whole number from 0 to 65535, not "80x"\n  - STOWAGE_NOPE is not a setting\n',
    ],
    ['a bad host', [], { HOST: '192.0.2.1' }, 'stowage: HOST 192.0.2.1 is not an address of this machine.\n'],
    [
      'a bad key set',
      [],
      { STOWAGE_JWKS: '{"keys":[{"kty":"none"}]}', DATABASE_URL: 'postgresql://u@127.0.0.1:1/d' },
      /cannot be reached: connect ECONNREFUSED/,
    ],
    [
      'an unreachable database',
      [],
      { DATABASE_URL: 'postgresql://u:secret@127.0.0.1:1/d' },
      'stowage: starting the database\nstowage: The database at 127.0.0.1:1 cannot be reached: connect ECONNREFUSED 127.0.0.1:1. Check DATABASE_URL.\n',
    ],
    [
      'a folder below a file',
      [],
      { STOWAGE_DATA: `${bin}/x` },
      /^stowage: The data folder .* cannot be made: a part of its path is a file\. Set STOWAGE_DATA/,
    ],
    ['a file for a folder', [], { STOWAGE_DATA: bin }, /^stowage: The data folder .* is not a folder: set STOWAGE_DATA to another\.\n$/],
    ['a folder that cannot be', [], { STOWAGE_DATA: '/proc/x/y' }, /^stowage: The data folder \/proc\/x\/y cannot be made/],
    ['keys before there are any', ['keys'], {}, /^stowage: There are no keys in .* yet: start the service once\.\n$/],
    ['an unknown command', ['frob'], {}, 'stowage: There is no command "frob": stowage --help shows all.\n'],
  ] as [string, string[], Record<string, string>, string | RegExp][])('%s', async (_, args, settings, words) => {
    const { code, err, out } = await run(args, settings)
    expect(err).toMatch(words)
    if (typeof words === 'string') expect(err).toBe(words)
    expect(out).toBe('')
    expect(code).toBe(1)
  })

  it('a damaged file of keys', async () => {
    const data = join(folder, 'data')
    await run(['sweep', '--dry-run'])
    await writeFile(join(data, 'keys.json'), '{')
    const { code, err } = await run([])
    expect(err).toBe(
      `stowage: ${data}/keys.json is damaged: bring it back from a copy, or remove it to get new keys (tokens made with the old ones end).\n`,
    )
    expect(code).toBe(1)
  })
})

describe('the commands', { timeout: 60_000 }, () => {
  it('show their use', async () => {
    const { code, out } = await run(['--help'])
    expect(out).toContain('Examples:')
    expect(code).toBe(0)
  })

  it('check the settings without starting anything, and hide secrets', async () => {
    const { code, out } = await run(['check-config'], { JWT_SECRET: 'a-secret-of-the-tests-with-more-than-32-bytes' })
    expect(out).toMatch(/^JWT_SECRET +set$/m)
    expect(out).toMatch(/^STOWAGE_UPLOAD_LIMIT +5 GiB {2}\(default\)$/m)
    expect(code).toBe(0)
    expect(existsSync(join(folder, 'data'))).toBe(false)
  })

  it('start the built-in database for as long as they need it', async () => {
    expect((await run(['migrate'])).out).toMatch(/^\d+ files ran\.\n$/)
    expect((await run(['migrate'])).out).toBe('The database is up to date.\n')
    const version = await offered()
    expect((await run(['extension', 'list'])).out).toContain(`stowage_graphql  ${version}            ${version}  `)
    expect(existsSync(join(folder, 'data/postgres/postmaster.pid'))).toBe(false)
  })
})
