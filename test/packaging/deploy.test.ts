import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { OPTIONS } from '../../src/config/options.ts'
import { STOP_GRACE_MS } from '../../src/service/open-ground.ts'
import { s3Program, startS3Server } from '../support/s3-server.ts'
import { environmentOf, fill, readCompose, variablesOf } from './compose.ts'
import { cleanEnvironment, expectToWork, run, startInstalled } from './installed-service.ts'

const ROOT = join(import.meta.dirname, '../..')
const SECRETS = {
  POSTGRES_PASSWORD: 'a-password-of-the-tests',
  JWT_SECRET: 'no-secret-at-all-but-long-enough-for-one',
  S3_ACCESS_KEY: 'only-for-tests',
  S3_SECRET_KEY: 'a-secret-of-the-tests',
}
/** What a container is given besides by the image. */
const IMAGE = { HOST: '0.0.0.0', PORT: '8000', STOWAGE_DATA: '/data' }

const known: readonly string[] = Object.values(OPTIONS).map(({ env }) => env)
const seconds = (text: string | undefined) => Number(/^(\d+)s$/.exec(text ?? '')?.[1])
const program = await s3Program('the bucket that the compose file makes')
/** It signs requests since 7.75. */
const signs = await run('curl', ['--help', 'all']).then(
  ({ stdout }) => stdout.includes('--aws-sigv4'),
  () => false,
)

// otherwise the first start would build
beforeAll(() => run(process.execPath, [join(ROOT, 'bin/prepare.js')]), 120_000)

describe('the compose file', async () => {
  const file = await readCompose()
  const services = Object.entries(file.services)
  const { stowage, bucket } = file.services
  if (!stowage || !bucket) throw new Error('there is no service stowage, or none that makes its bucket')

  it('names settings that there are, and the service takes what it gives them', () => {
    const given = Object.keys(stowage.environment ?? {})
    expect(given).toContain('DATABASE_URL')
    expect(given.filter((name) => !known.includes(name) && !name.startsWith('AWS_'))).toEqual([])
    const { config, warnings } = loadConfig({ ...IMAGE, ...environmentOf(stowage, SECRETS, {}) })
    expect(warnings).toEqual([])
    expect(config).toMatchObject({ store: 's3', s3Bucket: 'stowage', s3PathStyle: true, s3Endpoint: 'http://store:7070' })
    expect(config.databaseUrl).toBe(`postgresql://postgres:${SECRETS.POSTGRES_PASSWORD}@database:5432/postgres`)
  })

  it('says in its head which secrets it wants, and which commands there are', () => {
    expect([...variablesOf(file)].sort()).toEqual([...file.head.matchAll(/(\w+)=\.\.\./g)].map(([, name]) => name).sort())
    const [, used = ''] = /exec stowage node (\S+) keys$/m.exec(file.head) ?? []
    expect(existsSync(join(ROOT, used))).toBe(true)
    for (const [, path = ''] of file.head.matchAll(/-f (\S+)/g)) expect(existsSync(join(ROOT, path)), path).toBe(true)
  })

  it('holds together: volumes and services that it names are there, images have versions', () => {
    for (const [name, service] of services) {
      for (const volume of service.volumes ?? []) expect(Object.keys(file.volumes), name).toContain(volume.split(':')[0])
      const needs = Array.isArray(service.depends_on) ? service.depends_on : Object.keys(service.depends_on ?? {})
      for (const needed of needs) expect(Object.keys(file.services), name).toContain(needed)
      if (!service.build) expect(service.image, name).toMatch(/:v?\d/)
    }
    expect(existsSync(join(ROOT, 'deploy', stowage.build ?? 'none', 'Dockerfile'))).toBe(true)
  })

  it('waits for what can come about: a health that is looked at, an end that stands', () => {
    for (const [name, { depends_on: needs = {} }] of services) {
      if (Array.isArray(needs)) continue
      for (const [needed, { condition }] of Object.entries(needs as Readonly<Record<string, { condition: string }>>)) {
        const other = file.services[needed]
        if (condition === 'service_healthy') expect(other?.healthcheck?.test[0], `${name} waits for ${needed}`).toBe('CMD')
        if (condition === 'service_completed_successfully') expect(other?.restart, `${name} waits for ${needed}`).toBe('on-failure')
      }
    }
  })

  it('gives the service time to end its requests, and a place for all that it writes', () => {
    expect(seconds(stowage.stop_grace_period) * 1_000).toBeGreaterThan(loadConfig(IMAGE).config.drainLimit)
    expect(stowage.read_only).toBe(true)
    const places = [...(stowage.volumes ?? []).map((volume) => volume.split(':')[1]), ...(stowage.tmpfs ?? [])]
    expect(places.sort()).toEqual([IMAGE.STOWAGE_DATA, '/tmp'].sort())
  })

  it('has no secret in it, and opens nothing but the service, to this machine alone', () => {
    for (const [name, { environment = {}, ports = [] }] of services) {
      for (const [setting, value] of Object.entries(environment))
        if (/PASSWORD|SECRET|KEY|USER|URL$/.test(setting)) expect(value, `${name} ${setting}`).toMatch(/\$\{\w+:\?/)
      expect(ports, name).toEqual(name === 'stowage' ? ['127.0.0.1:8000:8000'] : [])
    }
  })

  it.skipIf(program === null || !signs)('makes the bucket, finds it made, and does not take a refusal for either', async () => {
    const s3 = await startS3Server(program ?? '')
    try {
      const { credentials, endpoint } = await s3.place('another')
      const addresses = { 'http://store:7070': endpoint }
      const make = (variables: Record<string, string>) => {
        const [shell = '', ...options] = bucket.entrypoint ?? []
        const env = { PATH: process.env.PATH, ...environmentOf(bucket, variables, addresses) }
        return run(shell, [...options, ...(bucket.command ?? []).map((text) => fill(text, variables, addresses))], { env })
      }
      const variables = { ...SECRETS, S3_ACCESS_KEY: credentials.accessKeyId, S3_SECRET_KEY: credentials.secretAccessKey }
      expect((await make(variables)).stdout).toBe('200\n')
      expect((await make(variables)).stdout).toMatch(/^(200|409)\n$/)
      await expect(make({ ...variables, S3_SECRET_KEY: 'wrong' })).rejects.toMatchObject({ code: 1 })
    } finally {
      await s3.stop()
    }
  })
})

const SYSTEMD = '/usr/bin/systemd-analyze'
const hasSystemd = existsSync(SYSTEMD)

describe('the systemd unit', async () => {
  const unit = await readFile(join(ROOT, 'deploy/stowage.service'), 'utf8')

  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? ''
  const environment = Object.fromEntries(
    setting('Environment')
      .split(' ')
      .map((pair) => pair.split('=') as [string, string]),
  )
  const [program = '', option = '', path = '', ...args] = setting('ExecStart').split(' ')
  const head = unit.slice(0, unit.indexOf('[Unit]'))

  it('does not run as root, and agrees with what its head says is to be done before', () => {
    const home = `/var/lib/${setting('StateDirectory')}`
    expect([setting('User'), setting('Group'), setting('WorkingDirectory'), environment.STOWAGE_DATA]).toEqual([
      'stowage',
      'stowage',
      home,
      home,
    ])
    expect(head).toContain(`useradd --system --home-dir ${home} --shell /usr/sbin/nologin ${setting('User')}\n`)
    expect(head).toContain(`settings in ${setting('EnvironmentFile').replace(/^-/, '')} `)
    const [, prefix = ''] = /--prefix (\S+) stowage/.exec(head) ?? []
    expect(path.startsWith(`${prefix}/node_modules/stowage/`)).toBe(true)
    const page = setting('Documentation').replace(`file://${prefix}/node_modules/stowage/`, '')
    expect(existsSync(join(ROOT, page)), page).toBe(true)
  })

  it('names settings that there are, and gives the service time to end', () => {
    expect(Object.keys(environment).filter((name) => name !== 'NODE_ENV' && !known.includes(name))).toEqual([])
    expect(seconds(setting('TimeoutStopSec')) * 1_000).toBeGreaterThan(loadConfig({}).config.drainLimit + STOP_GRACE_MS)
  })

  it('starts what the package has, which serves, and ends in order at its signal', { timeout: 60_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'unit-'))
    try {
      expect([program, args]).toEqual(['/usr/bin/node', ['serve']])
      expect(JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')).scripts.start).toContain(` ${option} `)
      const here = (place: string) => join(folder, place)
      await mkdir(here('opt/stowage/node_modules'), { recursive: true })
      await mkdir(here('var/lib/stowage'), { recursive: true, mode: 0o700 })
      await symlink(ROOT, here('opt/stowage/node_modules/stowage'))
      const env = {
        ...cleanEnvironment(),
        ...environment,
        STOWAGE_DATA: here(environment.STOWAGE_DATA ?? ''),
        JWT_SECRET: SECRETS.JWT_SECRET,
      }
      const cwd = here(setting('WorkingDirectory'))
      const service = await startInstalled([process.execPath, option, here(path), ...args], { cwd, env })
      let code: unknown
      try {
        const { stdout } = await run(process.execPath, [here(path), 'keys', '--json'], { cwd, env })
        await expectToWork(service.baseUrl, JSON.parse(stdout))
      } finally {
        expect(setting('KillSignal')).toBe('SIGTERM')
        code = await service.stop()
      }
      expect(code).toBe(0)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  it.skipIf(!hasSystemd)(
    hasSystemd ? 'is accepted by systemd, and found little exposed' : 'is accepted by systemd (skipped: it is not on this machine)',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'unit-'))
      try {
        const copy = join(folder, 'stowage.service')
        // the program must be there
        await writeFile(copy, unit.replace('/usr/bin/node', process.execPath))
        const { stdout, stderr } = await run(SYSTEMD, ['verify', copy])
        expect(stdout + stderr).not.toContain('stowage.service')
        const security = await run(SYSTEMD, ['security', '--offline=true', copy])
        expect(Number(/Overall exposure level for stowage\.service: ([\d.]+)/.exec(security.stdout)?.[1])).toBeLessThan(2)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  )
})
