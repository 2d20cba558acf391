import { StartupError } from '../config/startup-error.ts'
import type { OwnerClient } from '../pg/owner-connection.ts'

/** The roles that requests run as and on, and what else a token may name. */
export type AuditedRoles = {
  readonly web: string
  readonly callers: readonly string[]
  readonly service: string
  /** of the setting STOWAGE_ROLES */
  readonly extra: readonly string[]
}

type Finding = { readonly severity: 'refuse' | 'warn'; readonly text: string }

/**
 * Before serving: is PostgreSQL still between a caller and everybody's rows? Grants are changed by hand and by other software, and
 * nobody looks at them again. What would undo row security outright is refused, the rest is told.
 * @returns what the operator should know
 * @throws StartupError
 */
export async function auditDatabase(owner: OwnerClient, roles: AuditedRoles): Promise<readonly string[]> {
  const { rows } = await owner.query(FACTS, [roles.web, arrayOf(roles.callers), roles.service, arrayOf(roles.extra)])
  const findings = judge(rows as Fact[], roles)
  const refused = findings.filter(({ severity }) => severity === 'refuse').map(({ text }) => text)
  if (refused.length > 0) throw new StartupError(refused.join('\n'))
  return findings.map(({ text }) => text)
}

/** `about`: a role, a table or a setting */
type Fact = { readonly kind: string; readonly about: string; readonly detail: string | null }

/**
 * One row for each thing that is not as it should be. Membership is looked at through any number of roles, and as PostgreSQL does: a
 * superuser is a member of all.
 */
const FACTS = `/* audit.database */
  with recursive asked as (
    select $1::text as web,
           $2::text[] as callers,
           $3::text as service,
           $4::text[] as extra
  ), reachable (oid, path) as (
    select r.oid, array[r.rolname::text]
      from pg_catalog.pg_roles r
      join asked on r.rolname = asked.web
    union all
    select m.roleid, path || m.roleid::regrole::text
      from reachable
      join pg_catalog.pg_auth_members m on m.member = reachable.oid
     where not m.roleid::regrole::text = any (path)
  )
  select case
           when r.rolsuper then 'superuser'
           when r.rolbypassrls then 'bypasses'
           when r.rolcreaterole then 'makes roles'
           when r.rolreplication then 'replicates'
         end as kind,
         r.rolname::text as about,
         array_to_string(reachable.path, ' > ') as detail
    from reachable
    join pg_catalog.pg_roles r on r.oid = reachable.oid
   where r.rolsuper or r.rolbypassrls or r.rolcreaterole or r.rolreplication
  union all
  select 'is the service', r.rolname::text, array_to_string(reachable.path, ' > ')
    from reachable
    join pg_catalog.pg_roles r on r.oid = reachable.oid
    join asked on r.rolname = asked.service
   where not r.rolbypassrls
  union all
  select 'reads files', r.rolname::text, array_to_string(reachable.path, ' > ')
    from reachable
    join pg_catalog.pg_roles r on r.oid = reachable.oid
   where r.rolname in ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program', 'pg_read_all_data', 'pg_write_all_data')
  union all
  select 'no role', named.role, null
    from asked
   cross join unnest(asked.extra) as named (role)
   where not exists (select from pg_catalog.pg_roles r where r.rolname = named.role)
  union all
  select 'member', m.roleid::regrole::text, null
    from asked
    join pg_catalog.pg_roles w on w.rolname = asked.web
    join pg_catalog.pg_auth_members m on m.member = w.oid
    join pg_catalog.pg_roles r on r.oid = m.roleid
   where not r.rolname = any (asked.callers || asked.extra || asked.service)
     and not r.rolsuper
     and not r.rolbypassrls
  union all
  select 'inherits', w.rolname::text, null
    from asked
    join pg_catalog.pg_roles w on w.rolname = asked.web
   where w.rolinherit
  union all
  select 'is held back', r.rolname::text, null
    from asked
    join pg_catalog.pg_roles r on r.rolname = asked.service
   where not r.rolbypassrls
  union all
  select 'unprotected', c.oid::regclass::text, null
    from pg_catalog.pg_class c
   where c.relnamespace = (select n.oid from pg_catalog.pg_namespace n where n.nspname = 'storage')
     and c.relname in ('objects', 'buckets')
     and not c.relrowsecurity
  union all
  select distinct 'truncates', c.oid::regclass::text, case g.grantee when 0 then 'everybody' else g.grantee::regrole::text end
    from asked
   cross join pg_catalog.pg_class c
   cross join aclexplode(c.relacl) as g
    left join pg_catalog.pg_roles r on r.oid = g.grantee
   where c.relnamespace = (select n.oid from pg_catalog.pg_namespace n where n.nspname = 'storage')
     and c.relname in ('objects', 'buckets')
     and g.privilege_type = 'TRUNCATE'
     and (g.grantee = 0 or r.rolname = any (asked.callers || asked.extra))
  union all
  select 'reads the ledger', c.oid::regclass::text, case g.grantee when 0 then 'everybody' else g.grantee::regrole::text end
    from asked
   cross join pg_catalog.pg_class c
   cross join aclexplode(c.relacl) as g
    left join pg_catalog.pg_roles r on r.oid = g.grantee
   where c.relnamespace = (select n.oid from pg_catalog.pg_namespace n where n.nspname = 'stowage')
     and (g.grantee = 0 or r.rolname = any (asked.callers || asked.extra))
  union all
  select 'forgets', s.name, s.setting
    from pg_catalog.pg_settings s
   where s.name in ('fsync', 'full_page_writes', 'synchronous_commit')
     and s.setting = 'off'
  union all
  select 'old', current_setting('server_version'), null
    from (select current_setting('server_version_num')::integer as number) as server
   where server.number between 150000 and 150008
      or server.number between 160000 and 160004
      or server.number between 170000 and 170000`

function judge(facts: readonly Fact[], { web, callers, extra }: AuditedRoles): readonly Finding[] {
  return facts.map(({ kind, about, detail }): Finding => {
    const way = detail === null || detail === about ? '' : ` (${detail})`
    switch (kind) {
      case 'superuser':
        return refuse(`${reach(web, about)} a superuser${way}: nothing would be kept from any caller. ${undo(web, about, 'nosuperuser')}`)
      case 'bypasses':
        return extra.includes(about)
          ? warn(`The role ${about} of STOWAGE_ROLES passes row security by: a function that any caller may run can become it.`)
          : refuse(
              `${reach(web, about)} a role that passes row security by${way}: every caller could read all. ${undo(web, about, 'nobypassrls')}`,
            )
      case 'is the service':
        return refuse(`${reach(web, about)} the service's role${way}: every caller could become it. ${undo(web, about, '')}`)
      case 'makes roles':
        return warn(`${reach(web, about)} a role that may make roles${way}. ${undo(web, about, 'nocreaterole')}`)
      case 'replicates':
        return warn(`${reach(web, about)} a role that may copy the whole server${way}. ${undo(web, about, 'noreplication')}`)
      case 'reads files':
        return refuse(`${reach(web, about)} ${about}${way}: every caller could read or write beyond row security. ${undo(web, about, '')}`)
      case 'no role':
        return refuse(
          `STOWAGE_ROLES names ${about}, and the database has no such role: create role ${about} nologin; grant ${about} to ${web}. Or leave it out.`,
        )
      case 'member':
        return warn(
          `The login ${web} is a member of ${about}, which is none of ${[...callers, ...extra].join(', ')}: a caller's function can become it.`,
        )
      case 'inherits':
        return warn(`The login ${web} inherits the rights of its roles: alter role ${web} noinherit.`)
      case 'is held back':
        return warn(
          `The role ${about} does not pass row security by, so the service key cannot do everything: alter role ${about} bypassrls.`,
        )
      case 'unprotected':
        return warn(
          `Row security is off on ${about}: whoever has a grant sees and changes all of it. alter table ${about} enable row level security.`,
        )
      case 'truncates':
        return warn(`TRUNCATE on ${about}, which row security is not asked about, is granted to ${detail}: revoke it.`)
      case 'reads the ledger':
        return warn(`${about} is open to ${detail}: revoke it.`)
      case 'forgets':
        return warn(`PostgreSQL runs with ${about} = ${detail}: what was answered may be gone after a crash.`)
      default:
        return warn(
          `PostgreSQL ${about} has known holes in row security (CVE-2024-10976, CVE-2024-10978): update it to the last of its line.`,
        )
    }
  })
}

const refuse = (text: string): Finding => ({ severity: 'refuse', text })
const warn = (text: string): Finding => ({ severity: 'warn', text })

const reach = (web: string, about: string): string => (about === web ? `The login ${web} is` : `The login ${web} can become`)

const undo = (web: string, about: string, attribute: string): string =>
  about === web ? `alter role ${web} ${attribute}.` : `revoke ${about} from whoever leads there, or take its right away.`

/** PostgreSQL's text of a text[]. */
const arrayOf = (names: readonly string[]): string => `{${names.map((name) => `"${name.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`
