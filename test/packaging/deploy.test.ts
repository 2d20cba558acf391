import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { OPTIONS } from '../../src/config/options.ts'
import { run } from './installed-service.ts'

const ROOT = join(import.meta.dirname, '../..')

type Service = {
  readonly build?: string
  readonly image: string
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly depends_on?: Readonly<Record<string, unknown>> | readonly string[]
}

/** The store's settings, whose names the byte store's own tests hold. */
const STORE_SETTING = /^STOWAGE_(?:STORE|S3_[A-Z_]+)$/

describe('the compose file', async () => {
  const file = parse(await readFile(join(ROOT, 'deploy/compose.yaml'), 'utf8')) as {
    readonly services: Readonly<Record<string, Service>>
    readonly volumes: Readonly<Record<string, null>>
  }
  const services = Object.entries(file.services)

  it('names settings that there are', () => {
    const known = Object.values(OPTIONS).map(({ env }) => env as string)
    const given = Object.keys(file.services.stowage?.environment ?? {})
    expect(given).toContain('DATABASE_URL')
    expect(given.filter((name) => !known.includes(name) && !STORE_SETTING.test(name) && !name.startsWith('AWS_'))).toEqual([])
  })

  it('holds together: volumes and services that it names are there, images have versions', () => {
    for (const [name, service] of services) {
      for (const volume of service.volumes ?? []) expect(Object.keys(file.volumes), name).toContain(volume.split(':')[0])
      const needs = Array.isArray(service.depends_on) ? service.depends_on : Object.keys(service.depends_on ?? {})
      for (const needed of needs) expect(Object.keys(file.services), name).toContain(needed)
      if (!service.build) expect(service.image, name).toMatch(/:v?\d/)
    }
    expect(existsSync(join(ROOT, 'deploy', file.services.stowage?.build ?? 'none', 'Dockerfile'))).toBe(true)
  })

  it('has no secret in it, and opens nothing but the service, to this machine alone', () => {
    for (const [name, { environment = {}, ports = [] }] of services) {
      for (const [setting, value] of Object.entries(environment))
        if (/PASSWORD|SECRET|KEY|USER|URL$/.test(setting)) expect(value, `${name} ${setting}`).toMatch(/\$\{\w+:\?/)
      expect(ports, name).toEqual(name === 'stowage' ? ['127.0.0.1:8000:8000'] : [])
    }
  })
})

const SYSTEMD = '/usr/bin/systemd-analyze'
const hasSystemd = existsSync(SYSTEMD)

describe('the systemd unit', async () => {
  const unit = await readFile(join(ROOT, 'deploy/stowage.service'), 'utf8')

  it('does not run as root, and starts what the package has', () => {
    expect(unit).toMatch(/^User=stowage$/m)
    const [, path = ''] = /^ExecStart=\S+ \S+\/node_modules\/stowage\/(\S+) serve$/m.exec(unit) ?? []
    expect(existsSync(join(ROOT, path))).toBe(true)
    expect(unit).toMatch(/^TimeoutStopSec=90s$/m)
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
