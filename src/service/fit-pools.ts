import { StartupError } from '../config/startup-error.ts'
import type { OwnerClient } from '../pg/owner-connection.ts'

/** Connections of one process. */
export type PoolSizes = { readonly web: number; readonly service: number }

export type WantedPools = PoolSizes & {
  /** that each have these pools, started by one another */
  readonly processes: number
  /** by the operator; sizes that nobody chose are made to fit */
  readonly isChosen: boolean
}

/** What the server gives, from its settings and from what is connected at this moment. */
export type ConnectionFacts = {
  readonly maxConnections: number
  /** kept back for superusers and others by settings of the server */
  readonly reserved: number
  /** of this database; -1: none */
  readonly databaseLimit: number
  /** of the roles stowage_web and stowage_service; -1: none */
  readonly webLimit: number
  readonly serviceLimit: number
  /** connections of anybody but the two logins, and of the two logins */
  readonly others: number
  readonly ours: number
}

/** Connections left alone when sizes are made to fit: the owner's at a start, a person with psql, a backup. */
const SPARE = 5

/**
 * Whether the pools can be filled. More connections than the server gives do not show until the first busy hour, as requests turned away,
 * so it is told at the start.
 * @throws StartupError when sizes that were chosen can never be had, or nothing can
 */
export function fitPools(wanted: WantedPools, facts: ConnectionFacts): { readonly sizes: PoolSizes; readonly warnings: readonly string[] } {
  const { processes } = wanted
  const limits = [facts.maxConnections - facts.reserved, ...(facts.databaseLimit < 0 ? [] : [facts.databaseLimit])]
  const ceiling = Math.min(...limits)
  const each = { web: share(facts.webLimit, processes), service: share(facts.serviceLimit, processes) }
  const needed = processes * (wanted.web + wanted.service)
  const fits = needed <= ceiling && wanted.web <= each.web && wanted.service <= each.service
  const sizes = fits ? wanted : shrink(wanted, Math.floor((ceiling - SPARE) / processes), each)
  if (!fits && (wanted.isChosen || sizes === null)) throw new StartupError(tooMany(wanted, needed, ceiling, each))
  const { web, service } = sizes ?? wanted
  const warnings: string[] = []
  if (!fits) warnings.push(`the database server gives ${ceiling} connections: ${web} are used for callers and ${service} for the service`)
  const filled = processes * (web + service)
  const others = facts.others + facts.ours
  if (filled + others > ceiling) {
    warnings.push(
      `the pools can grow to ${filled} connections, and the server gives ${ceiling}, of which ${others} are taken by others now: raise max_connections, or lower STOWAGE_WEB_CONNECTIONS and STOWAGE_SERVICE_CONNECTIONS`,
    )
  }
  return { sizes: { web, service }, warnings }
}

const share = (limit: number, processes: number): number => (limit < 0 ? Number.POSITIVE_INFINITY : Math.floor(limit / processes))

/** In the proportion that was wanted; null: not even one each. */
function shrink(wanted: WantedPools, total: number, each: PoolSizes): PoolSizes | null {
  const fitting = Math.min(wanted.web + wanted.service, total)
  const service = Math.min(each.service, Math.max(1, Math.floor((fitting * wanted.service) / (wanted.web + wanted.service))))
  const web = Math.min(each.web, wanted.web, fitting - service)
  return web < 1 || service < 1 ? null : { web, service: Math.min(service, wanted.service) }
}

function tooMany(wanted: WantedPools, needed: number, ceiling: number, each: PoolSizes): string {
  const { web, service, processes } = wanted
  const times = processes === 1 ? '' : `${processes} times `
  const sum = `${times}${web} (STOWAGE_WEB_CONNECTIONS) and ${service} (STOWAGE_SERVICE_CONNECTIONS) connections`
  if (needed > ceiling)
    return `The pools want ${sum}, and the database gives ${ceiling}: lower them, or raise max_connections on the server.`
  const [login, limit] = web > each.web ? ['stowage_web', each.web] : ['stowage_service', each.service]
  return `The pools want ${sum}, and the role ${login} may have ${limit * processes}: lower them, or run "alter role ${login} connection limit -1".`
}

export async function connectionFacts(owner: OwnerClient): Promise<ConnectionFacts> {
  const { rows } = await owner.query(`/* pools.facts */
    select current_setting('max_connections')::int as "maxConnections",
           current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true), '0')::int as reserved,
           (select d.datconnlimit from pg_catalog.pg_database d where d.datname = current_database()) as "databaseLimit",
           coalesce((select r.rolconnlimit from pg_catalog.pg_roles r where r.rolname = 'stowage_web'), -1) as "webLimit",
           coalesce((select r.rolconnlimit from pg_catalog.pg_roles r where r.rolname = 'stowage_service'), -1) as "serviceLimit",
           count(*) filter (where a.usename not in ('stowage_web', 'stowage_service') and a.pid <> pg_backend_pid())::int as others,
           count(*) filter (where a.usename in ('stowage_web', 'stowage_service'))::int as ours
      from pg_catalog.pg_stat_activity a
     where a.backend_type = 'client backend'`)
  return rows[0] as ConnectionFacts
}
