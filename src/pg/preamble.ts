import { quoteLiteral, type Statement } from '../sqltext/sql.ts'
import type { ScopedBatch } from './scoped-batch.ts'

export type PreambleDefaults = {
  readonly searchPath: string
  /** 0 switches the limit off */
  readonly statementTimeoutMs: (role: string) => number
}

const SETTING_NAME = /^[a-z_]+(\.[a-z_]+)*$/

/**
 * The statement that says who asks, in front of every batch. All settings are local to the transaction and every one is set
 * every time: one that was local once reads as '' afterwards, and another caller must not find a predecessor's.
 *
 * The role is set here and not inside the main statement, since row security is decided when a statement is planned.
 * The schema version is compared inline: the raising function is called only when it differs. Statements find it in a setting, to look
 * again when they have their locks.
 */
export function preamble(batch: ScopedBatch, defaults: PreambleDefaults): Statement {
  const { as } = batch
  const values = [
    as.role,
    as.claims,
    as.subject ?? '',
    as.token,
    batch.searchPath ?? defaults.searchPath,
    String(defaults.statementTimeoutMs(as.role)),
    ...batch.settings.map(([, value]) => value),
  ]
  if (batch.catalogVersion !== undefined) values.push(batch.catalogVersion)
  return { text: preambleText(batch), values }
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
