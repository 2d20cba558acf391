import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OwnService, startOwnService } from '../../demo/own-service.js'

const ROOT = join(import.meta.dirname, '../..')

let service: OwnService
beforeAll(async () => {
  service = await startOwnService()
})
afterAll(() => service?.stop())

const takeTour = () => {
  const { baseUrl, anonKey, serviceKey, jwtSecret, databaseUrl } = service.keys
  const env = {
    ...process.env,
    BASE_URL: baseUrl,
    ANON_KEY: anonKey,
    SERVICE_KEY: serviceKey,
    JWT_SECRET: jwtSecret,
    DATABASE_URL: databaseUrl,
  }
  return promisify(execFile)(process.execPath, ['bin/demo.js'], { cwd: ROOT, env, timeout: 60_000 })
}

test('the tour runs through, and again on the same service', async () => {
  const first = await takeTour()
  expect(first.stdout).toMatch(/loaded: 275 artists, 3503 tracks, 412 invoices/)
  expect(first.stdout).toMatch(/every answer was as promised\.\n$/)
  const again = await takeTour()
  expect(again.stdout).toMatch(/already there: 275 artists/)
  expect(again.stdout.match(/✓/g)?.length).toBe(first.stdout.match(/✓/g)?.length)
}, 120_000)

test('a mismatch ends it with exit code 1', async () => {
  const { baseUrl } = service.keys
  const env = {
    ...process.env,
    BASE_URL: baseUrl,
    ANON_KEY: 'x',
    SERVICE_KEY: 'x',
    JWT_SECRET: 'x',
    DATABASE_URL: service.keys.databaseUrl,
  }
  const failed = promisify(execFile)(process.execPath, ['bin/demo.js'], { cwd: ROOT, env, timeout: 60_000 })
  await expect(failed).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/✗ /) })
}, 60_000)
