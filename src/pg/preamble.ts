import type { RoleContext } from '../auth/role-context.ts'
import { quoteLiteral, type Statement } from '../sqltext/sql.ts'
import { encodeValues } from './packet-writer.ts'
import type { ScopedBatch } from './scoped-batch.ts'

export type PreambleDefaults = {
  readonly searchPath: string
  /** 0 switches the limit off */
  readonly statementTimeoutMs: (role: string) => number
}

/** With its values as they are sent, where that was done before. */
export type Preamble = Statement & { readonly encoded?: Buffer }

const SETTING_NAME = /^[a-z_]+(\.[a-z_]+)*$/

/**
 * The statement that says who asks, in front of every batch. All settings are local to the transaction and every one is set
 * every time: one that was local once reads as '' afterwards, and another caller must not find a predecessor's.
 *
 * The role is set here and not inside the main statement, since row security is decided when a statement is planned.
 * The schema version is compared inline: the raising function is called only when it differs. Statements find it in a setting, to look
 * again when they have their locks.
 */
export function preamble(batch: ScopedBatch, defaults: PreambleDefaults): Preamble {
  const text = preambleText(batch)
  const searchPath = batch.searchPath ?? defaults.searchPath
  const timeout = defaults.statementTimeoutMs(batch.as.role)
  if (batch.settings.length > 0) return { text, values: valuesOf(batch, searchPath, timeout) }
  const { catalogVersion } = batch
  const last = lastOf.get(batch.as)
  if (last && last.text === text && last.searchPath === searchPath && last.timeout === timeout && last.catalogVersion === catalogVersion) {
    last.encoded ??= encodeValues(last.values)
    return last
  }
  const values = valuesOf(batch, searchPath, timeout)
  lastOf.set(batch.as, { text, values, searchPath, timeout, catalogVersion })
  return { text, values }
}

/** A caller asks the same way again and again, and what he is known by is long. */
const lastOf = new WeakMap<RoleContext, Remembered>()

type Remembered = Statement & {
  readonly searchPath: string
  readonly timeout: number
  readonly catalogVersion: string | undefined
  encoded?: Buffer
}

function valuesOf({ as, settings, catalogVersion }: ScopedBatch, searchPath: string, timeout: number): readonly string[] {
  // named last: unnamed it comes first, and a table that some caller's function left there stood for everybody's (PostgreSQL manual, search_path)
  const path = `${searchPath}, pg_temp`
  const values = [as.role, as.claims, as.subject ?? '', as.token, path, String(timeout), ...settings.map(([, value]) => value)]
  if (catalogVersion !== undefined) values.push(catalogVersion)
  return values
}

const texts = new Map<string, string>()

function preambleText(batch: ScopedBatch): string {
  // a statement that only reads looks by itself, and nothing has happened before it
  const looks = batch.access === 'read write' || batch.statements.length === 0
  let key = `${batch.access} ${batch.catalogVersion === undefined ? 'unversioned' : looks}`
  for (const [name] of batch.settings) key += ` ${name}`
  const known = texts.get(key)
  if (known) return known
  const set = (name: string, position: number, cast = '') => `set_config(${quoteLiteral(name)}, $${position}${cast}, true)`
  const items = [
    set('role', 1, '::text'),
    set('request.jwt.claim.role', 1),
    set('request.jwt.claims', 2),
    set('request.jwt.claim.sub', 3),
    set('request.jwt', 4),
    set('search_path', 5),
    set('statement_timeout', 6),
  ]
  batch.settings.forEach(([name], i) => {
    if (!SETTING_NAME.test(name)) throw new TypeError(`not a setting's name: ${name}`)
    items.push(set(name, 7 + i))
  })
  if (batch.access === 'read only') items.push(`set_config('transaction_read_only', 'on', true)`)
  if (batch.catalogVersion !== undefined) {
    const position = 7 + batch.settings.length
    items.push(set('stowage_graphql.compiled_for', position))
    if (looks)
      items.push(
        `case when (select bit_xor(id) from stowage_graphql.schema_version) is distinct from $${position}::text::int8 then stowage_graphql.raise_stale_catalog() end`,
      )
  }
  const text = `/* preamble */ select ${items.join(', ')}`
  texts.set(key, text)
  return text
}
