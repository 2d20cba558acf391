import { describe, expect, test } from 'vitest'
import { parseDatabaseAddress } from '../../src/config/database-address.ts'

const words = (text: string): string => {
  try {
    parseDatabaseAddress(text)
    return 'taken'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

describe('an address of a database', () => {
  test('in full', () => {
    expect(
      parseDatabaseAddress('postgresql://me:p%40ss@db.example:6432/app?sslmode=verify-full&sslrootcert=/ca.pem&options=-c%20geqo%3Doff'),
    ).toEqual({
      host: 'db.example',
      port: 6432,
      user: 'me',
      password: 'p@ss',
      database: 'app',
      options: '-c geqo=off',
      tls: {
        mode: 'verify-full',
        rootCertificate: '/ca.pem',
        certificate: null,
        key: null,
        keyPassword: null,
        revoked: null,
        negotiation: 'postgres',
        channelBinding: 'prefer',
      },
    })
  })

  test.each([
    ['postgres://h', { host: 'h', port: 5432, user: null, password: null, database: null }],
    ['postgresql:///app', { host: 'localhost', database: 'app' }],
    ['postgresql://me@/app?host=/run/postgresql', { host: '/run/postgresql', user: 'me', database: 'app' }],
    ['postgresql://me:pw@%2Frun%2Fpostgresql:5433/app', { host: '/run/postgresql', port: 5433 }],
    ['postgresql://[::1]:5433/app', { host: '::1', port: 5433 }],
    ['postgresql://h/a?user=u&password=p&dbname=d&port=1&host=i', { host: 'i', port: 1, user: 'u', password: 'p', database: 'd' }],
    ['postgresql://h/a?application_name=x&connect_timeout=3&gssencmode=disable', { host: 'h' }],
  ])('%s', (text, parts) => expect(parseDatabaseAddress(text)).toMatchObject(parts))

  test.each([
    ['', 'prefer'],
    ['ssl=true', 'require'],
    ['sslrootcert=system', 'verify-full'],
    ['sslmode=allow', 'allow'],
  ])('the mode of %j is %s', (parameters, mode) => expect(parseDatabaseAddress(`postgresql://h/a?${parameters}`).tls.mode).toBe(mode))

  test.each([
    ['http://h/a', 'a connection string like'],
    ['postgresql://a,b/c', 'with one host'],
    ['postgresql://h/a?sslmod=verify-full', '"sslmod" is none'],
    ['postgresql://h/a?pgbouncer=true', '"pgbouncer" is none'],
    ['postgresql://h/a?sslmode=verify', 'sslmode is one of disable, allow, prefer, require, verify-ca, verify-full'],
    ['postgresql://h/a?sslmode=require&sslrootcert=system', 'needs sslmode=verify-full'],
    ['postgresql://h/a?sslnegotiation=direct', 'needs sslmode=require'],
    ['postgresql://h/a?sslcert=/x', 'belong together'],
    ['postgresql://h/a?channel_binding=maybe', 'channel_binding is one of'],
    ['postgresql://h/a?port=0', 'from 1 to 65535'],
    ['postgresql://me:100%@h/a', 'written %25'],
  ])('%s is refused', (text, why) => {
    expect(words(text)).toContain(why)
    expect(words(text.replace('me:100%', 'me:secretsecret%'))).not.toContain('secretsecret')
  })
})
