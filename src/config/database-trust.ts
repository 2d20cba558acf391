import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import * as tls from 'node:tls'
import type { DatabaseTls } from './database-address.ts'
import { BadSetting } from './setting-types.ts'
import { reasonOf } from './startup-error.ts'

/**
 * Certificates, and how strictly the server's is looked at, as libpq does by mode.
 * @throws BadSetting that names the parameter and the file, never what is in it
 */
export function databaseTrust({ mode, rootCertificate, certificate, key, keyPassword, revoked }: DatabaseTls): tls.ConnectionOptions {
  const isStrict = mode === 'verify-ca' || mode === 'verify-full'
  const root = rootCertificate ?? ifThere('root.crt')
  if (isStrict && root === null) {
    throw new BadSetting(`sslmode=${mode} needs to know whom to trust: add sslrootcert=FILE, or sslmode=verify-full&sslrootcert=system`)
  }
  const own = certificate ?? ifThere('postgresql.crt')
  const ownKey = certificate === null ? ifThere('postgresql.key') : key
  const crl = revoked ?? (root === null || root === 'system' ? null : ifThere('root.crl'))
  const trust: tls.ConnectionOptions = {
    ...(root === 'system' ? systemAuthorities() : root === null ? {} : { ca: readPem('sslrootcert', root) }),
    ...(own === null || ownKey === null ? {} : { cert: readPem('sslcert', own), key: readPem('sslkey', ownKey) }),
    ...(keyPassword === null ? {} : { passphrase: keyPassword }),
    ...(crl === null ? {} : { crl: readPem('sslcrl', crl) }),
    // as libpq: a root certificate that is there is used, whatever the mode
    rejectUnauthorized: root !== null,
    ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  }
  try {
    tls.createSecureContext(trust)
  } catch (error) {
    throw new BadSetting(`the files of sslrootcert, sslcert, sslkey or sslcrl cannot be used: ${reasonOf(error)}`)
  }
  return trust
}

/** Where libpq looks when nothing is said (PostgreSQL manual 32.19.1 and 32.19.2). */
const HOME = join(homedir(), '.postgresql')

const ifThere = (name: string): string | null => (existsSync(join(HOME, name)) ? join(HOME, name) : null)

/** Newer Node can ask the operating system; otherwise those that Node brings along, and NODE_EXTRA_CA_CERTS. */
function systemAuthorities(): tls.ConnectionOptions {
  const ask = (tls as { getCACertificates?: (of: 'default' | 'system') => string[] }).getCACertificates
  return ask ? { ca: [...ask('default'), ...ask('system')] } : {}
}

function readPem(parameter: string, file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new BadSetting(`${parameter} cannot be read: ${reasonOf(error)}`)
  }
}
