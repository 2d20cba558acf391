import type { RoleContext } from '../auth/role-context.ts'
import { quoteLiteral, type Statement } from '../sqltext/sql.ts'
import { type EncodedValues, encodeValues } from './packet-writer.ts'
import type { ScopedBatch } from './scoped-batch.ts'

export type PreambleDefaults = {
  readonly searchPath: string
  /** 0 switches the limit off */
  readonly statementTimeoutMs: (role: string) => number
}

/** With the first of its values as they are sent, where that was done before. */
export type Preamble = Statement & { readonly head?: EncodedValues }

const SETTING_NAME = /^[a-z_]+(\.[a-z_]+)*$/

/**
 * The statement that says who asks, in front of every batch. All settings are local to the transaction and every one is set
 * every time: one that was local once reads as '' afterwards, and another caller must not find a predecessor's.
 *
 * The role is set here and not inside the main statement, since row security is decided when a statement is planned.
 * Statements find the schema's version that they were compiled for in a setting, and compare it when they have their locks; without any
 * it is compared here, inline: the raising function is called only when it differs.
 */
export function preamble(batch: ScopedBatch, defaults: PreambleDefaults): Preamble {
  const { as, settings, catalogVersion } = batch
  const timeout = defaults.statementTimeoutMs(as.role)
  // named last: unnamed it comes first, and a table that some caller's function left there stood for everybody's (PostgreSQL manual, search_path)
  const path = `${batch.searchPath ?? defaults.searchPath}, pg_temp`
  const values = [as.role, as.claims, as.subject ?? '', as.token, path, String(timeout)]
  const head = headOf(as, path, timeout, values)
  for (const [, value] of settings) values.push(value)
  if (catalogVersion !== undefined) values.push(catalogVersion)
  return { text: preambleText(batch), values, head }
}

/** What a caller is known by is long, and the same each time. */
function headOf(as: RoleContext, path: string, timeout: number, values: readonly string[]): EncodedValues {
  const known = heads.get(as) ?? []
  for (const one of known) if (one.path === path && one.timeout === timeout) return one.head
  const head = encodeValues(values)
  heads.set(as, [{ path, timeout, head }, ...known].slice(0, MOST_HEADS))
  return head
}

type Head = { readonly path: string; readonly timeout: number; readonly head: EncodedValues }

/** One for each face. */
const MOST_HEADS = 2
const heads = new WeakMap<RoleContext, readonly Head[]>()

const texts = new Map<string, string>()

function preambleText(batch: ScopedBatch): string {
  // a statement looks by itself, with the snapshot it has
  const looks = batch.statements.length === 0
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
