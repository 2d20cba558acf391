import type pg from 'pg'

/**
 * Everything that the migrations and routines make, a line a fact, in an order of its own: two databases with the same lines have the same
 * schema. No numbers of objects and no times are in it.
 */
export async function schemaFingerprint(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ line: string }>(`
    with ours as (
      select n.oid, n.nspname, n.nspowner, n.nspacl from pg_namespace n where n.nspname in ('storage', 'stowage', 'auth', 'public')
    ), relations as (
      select c.oid, c.oid::regclass::text as name, c.relkind, c.relowner, c.relacl, c.relrowsecurity, c.relforcerowsecurity, c.reloptions
        from pg_class c join ours on ours.oid = c.relnamespace
       where c.relkind in ('r', 'v', 'm', 'S', 'p', 'i')
    )
    select format('schema %s %s %s', nspname, nspowner::regrole, ${acl('nspacl')}) as line from ours
    union all
    select format('relation %s %s %s %s %s%s %s', name, relkind, relowner::regrole, ${acl('relacl')}, relrowsecurity, relforcerowsecurity, reloptions)
      from relations
    union all
    select format('column %s.%s %s %s %s %s %s %s %s', r.name, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated,
                  a.attcollation::regcollation, pg_get_expr(d.adbin, d.adrelid), ${acl('a.attacl')}, col_description(r.oid, a.attnum))
      from relations r
      join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped and r.relkind <> 'i'
      left join pg_attrdef d on d.adrelid = r.oid and d.adnum = a.attnum
    union all
    select format('constraint %s %s %s', r.name, x.conname, pg_get_constraintdef(x.oid)) from relations r join pg_constraint x on x.conrelid = r.oid
    union all
    select format('index %s', pg_get_indexdef(r.oid)) from relations r where r.relkind = 'i'
    union all
    select format('trigger %s %s', t.tgenabled, pg_get_triggerdef(t.oid)) from relations r join pg_trigger t on t.tgrelid = r.oid and not t.tgisinternal
    union all
    select format('policy %s %s %s %s %s %s', r.name, p.polname, p.polcmd, p.polroles::regrole[], pg_get_expr(p.polqual, r.oid), pg_get_expr(p.polwithcheck, r.oid))
      from relations r join pg_policy p on p.polrelid = r.oid
    union all
    select format('function %s %s %s', p.proowner::regrole, ${acl('p.proacl')}, pg_get_functiondef(p.oid))
      from pg_proc p join ours on ours.oid = p.pronamespace where p.prokind in ('f', 'p')
    union all
    select format('type %s %s %s', t.oid::regtype, t.typowner::regrole, (select array_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid))
      from pg_type t join ours on ours.oid = t.typnamespace where t.typtype in ('e', 'd')
    union all
    select format('default privileges %s %s %s', d.defaclnamespace::regnamespace, d.defaclobjtype, ${acl('d.defaclacl')}) from pg_default_acl d
    union all
    select format('ran %s %s', name, sha256) from stowage.migrations
    union all
    select format('routine %s %s', name, sha256) from stowage.routines
    order by 1`)
  return rows.map(({ line }) => line)
}

/** An access list is a set: the order of its entries tells in which order they were granted. */
function acl(column: string): string {
  return `(select array_agg(entry::text order by entry::text) from unnest(${column}) as entry)`
}
