import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectOwner } from '../../src/pg/owner-connection.ts'
import { PgCancelled } from '../../src/pg/pg-error.ts'
import { createPgPool } from '../../src/pg/pool.ts'
import { milliseconds } from '../../src/std/brand.ts'
import { type OwnServer, ownServer, PASSWORD } from '../support/own-server.ts'
import { caller, statement } from './pool-database.ts'

let server: OwnServer
let ca: string
const EVERY_WAY = ['host all all 127.0.0.1/32 scram-sha-256']
const SECURE_ONLY = ['hostssl all all 127.0.0.1/32 scram-sha-256']
const PLAIN_ONLY = ['hostnossl all all 127.0.0.1/32 scram-sha-256']

/** An authority, another one that nobody trusts, a server's certificate for the name localhost, and a client's for postgres. */
beforeAll(async () => {
  server = await ownServer('tls')
  ca = mkdtempSync(join(tmpdir(), 'tls-ca-'))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: ca, stdio: 'pipe' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  for (const name of ['ca', 'other'])
    openssl('req', '-x509', ...key, '-keyout', `${name}.key`, '-out', `${name}.crt`, '-days', '2', '-subj', `/CN=${name} of a test`)
  for (const [name, subject, ext] of [
    ['server', '/CN=localhost', 'subjectAltName=DNS:localhost'],
    ['client', '/CN=postgres', 'extendedKeyUsage=clientAuth'],
  ] as const) {
    openssl('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', subject, '-addext', ext)
    const by = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-copy_extensions', 'copy']
    openssl('x509', '-req', '-in', `${name}.csr`, ...by, '-days', '2', '-out', `${name}.crt`)
  }
  for (const name of ['server.crt', 'server.key', 'ca.crt']) server.file(name, readFileSync(join(ca, name)))
  await encrypted(true)
  server.allow(EVERY_WAY)
  await server.start()
}, 60_000)
afterAll(async () => {
  await server.remove()
  rmSync(ca, { recursive: true, force: true })
})

async function encrypted(on: boolean): Promise<void> {
  const at = (name: string) => `'${join(server.folder, name)}'`
  const files = [`ssl_cert_file=${at('server.crt')}`, `ssl_key_file=${at('server.key')}`, `ssl_ca_file=${at('ca.crt')}`]
  server.configure(on ? ['ssl=on', ...files] : ['ssl=off'])
  await server.reload()
}

async function allowed(lines: readonly string[]): Promise<void> {
  server.allow(lines)
  await server.reload()
}

/** How the connection is: `tls`, `plain`, or the words of the refusal. */
async function way(url: string): Promise<string> {
  try {
    const client = await connectOwner(url, 'tls test')
    const { rows } = await client.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()')
    await client.end()
    return (rows as { ssl: boolean }[])[0]?.ssl ? 'tls' : 'plain'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const MODES = ['disable', 'allow', 'prefer', 'require'] as const
const waysOf = async (modes: readonly string[]) =>
  Object.fromEntries(await Promise.all(modes.map(async (mode) => [mode, await way(server.url(mode && `sslmode=${mode}`))] as const)))

describe('sslmode means what it means to libpq', () => {
  test('a server that takes both: the weaker two prefer plain, the default is prefer', async () => {
    await allowed(EVERY_WAY)
    expect(await waysOf([...MODES, ''])).toEqual({ disable: 'plain', allow: 'plain', prefer: 'tls', require: 'tls', '': 'tls' })
  })

  test('a server that insists on encryption: allow comes back encrypted', async () => {
    await allowed(SECURE_ONLY)
    const refused = expect.stringMatching(/no pg_hba.conf entry.*no encryption/)
    expect(await waysOf(MODES)).toEqual({ disable: refused, allow: 'tls', prefer: 'tls', require: 'tls' })
  })

  test('a server that insists on none: prefer comes back without', async () => {
    await allowed(PLAIN_ONLY)
    const refused = expect.stringMatching(/no pg_hba.conf entry.*SSL encryption/)
    expect(await waysOf(MODES)).toEqual({ disable: 'plain', allow: 'plain', prefer: 'plain', require: refused })
  })

  test('a server that has no TLS: prefer does without, require does not', async () => {
    await allowed(EVERY_WAY)
    await encrypted(false)
    const ways = await waysOf(MODES)
    await encrypted(true)
    const refused = expect.stringContaining('does not offer TLS')
    expect(ways).toEqual({ disable: 'plain', allow: 'plain', prefer: 'plain', require: refused })
  })

  test('verify-ca looks at the authority, verify-full at the name too', async () => {
    const root = `sslrootcert=${ca}/ca.crt`
    const other = `sslrootcert=${ca}/other.crt`
    const numbered = (parameters: string) => way(server.url(parameters))
    const named = (parameters: string) => way(server.url(parameters, 'localhost'))
    expect(await numbered(`sslmode=verify-ca&${root}`)).toBe('tls')
    expect(await numbered(`sslmode=verify-full&${root}`)).toContain('does not match certificate')
    expect(await named(`sslmode=verify-full&${root}`)).toBe('tls')
    for (const mode of ['verify-ca', 'verify-full', 'require']) {
      expect(await named(`sslmode=${mode}&${other}`), mode).toMatch(/unable to verify|self-signed certificate|unable to get/)
    }
    // as libpq: what cannot be verified is no reason for prefer not to connect at all
    expect(await named(`sslmode=prefer&${other}`)).toBe('plain')
    expect(await named('sslrootcert=system')).toMatch(/unable to verify|self-signed certificate|unable to get/)
    expect(await named('sslmode=verify-full')).toContain('add sslrootcert=FILE')
    expect(await named('sslmode=verify-full&sslrootcert=/nowhere.crt')).toContain('sslrootcert cannot be read')
    expect(await named(`sslmode=verify-full&sslrootcert=${ca}/ca.key`)).not.toBe('tls')
  })

  test('TLS at once, where the server can', async () => {
    expect(await way(server.url(`sslmode=verify-full&sslrootcert=${ca}/ca.crt&sslnegotiation=direct`, 'localhost'))).toBe('tls')
  })

  test("a client's certificate", async () => {
    await allowed(['hostssl all all 127.0.0.1/32 cert'])
    const own = `sslcert=${ca}/client.crt&sslkey=${ca}/client.key`
    expect(await way(server.url(`sslmode=require&${own}`))).toBe('tls')
    expect(await way(server.url('sslmode=require'))).toMatch(/certificate/)
  })

  test('SCRAM binds to the channel, and can be made to', async () => {
    await allowed(EVERY_WAY)
    expect(await way(server.url('sslmode=require&channel_binding=require'))).toBe('tls')
    expect(await way(server.url('sslmode=require&channel_binding=disable'))).toBe('tls')
    expect(await way(server.url('sslmode=disable&channel_binding=require'))).toContain('does not offer it')
    await allowed(['hostssl all all 127.0.0.1/32 password'])
    expect(await way(server.url('sslmode=require&channel_binding=require'))).toContain('asks for the password another way')
    await allowed(['hostssl all all 127.0.0.1/32 trust'])
    expect(await way(server.url('sslmode=require&channel_binding=require'))).toContain('without proving')
    expect(await way(server.url('sslmode=require'))).toBe('tls')
    await allowed(EVERY_WAY)
  })

  test('a wrong password is told as one', async () => {
    expect(await way(server.url('sslmode=require').replace(encodeURIComponent(PASSWORD), 'wrong'))).toContain(
      'password authentication failed',
    )
  })
})

describe('a pool over TLS', () => {
  const poolOf = (url: string) =>
    createPgPool({
      url,
      applicationName: 'tls pool',
      maxConnections: 2,
      waitMs: milliseconds(20_000),
      maxWaiting: 100,
      graceMs: milliseconds(5_000),
      mostPrepared: 10,
      searchPath: 'public',
      statementTimeoutMs: () => 10_000,
    })
  const batch = (text: string) =>
    ({ as: caller('postgres'), access: 'read write', end: 'commit', settings: [], statements: [statement(text)] }) as const

  test('answers, long answers too, and cancels what nobody waits for', async () => {
    const pool = poolOf(server.url('sslmode=require'))
    const never = new AbortController().signal
    const [rows] = await pool.run(batch(`select repeat('x', 3000000), (select ssl from pg_stat_ssl where pid = pg_backend_pid())`), never)
    expect([rows?.[0]?.[0]?.length, rows?.[0]?.[1]]).toEqual([3_000_000, 't'])
    const leaving = new AbortController()
    const work = pool.run(batch('select pg_sleep(30) as tls_leaver'), leaving.signal)
    const active = async () => (await pool.query(statement(`select count(*) from pg_stat_activity where query ~ 'tls[_]leaver'`)))[0]?.[0]
    await expect.poll(active, { timeout: 5_000 }).toBe('1')
    leaving.abort()
    await expect(work).rejects.toBeInstanceOf(PgCancelled)
    await expect.poll(active, { timeout: 5_000 }).toBe('0')
    await pool.end()
  })
})

describe('servers that mean harm', () => {
  let liar: Server
  afterAll(() => liar.close())

  test('bytes slipped in before the handshake end the connection', async () => {
    liar = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.write(Buffer.concat([Buffer.from('S'), Buffer.from('R\0\0\0\x08\0\0\0\0')])))
    })
    const port = await new Promise<number>((resolve) =>
      liar.listen(0, '127.0.0.1', () => resolve((liar.address() as { port: number }).port)),
    )
    expect(await way(`postgresql://a:b@127.0.0.1:${port}/x?sslmode=require`)).toContain('does not understand')
  })
})
