-- Whether a row version had been written and committed at a moment, by the number of the transaction in its xmin: no column that
-- anybody may set, and no clock. That number has 32 bits and stays when a row is frozen, so it is read as the nearest one of 64 bits that
-- lies before the moment, unless it lies between the moment and a little beyond now: whoever waits for a row's lock meets rows newer
-- than his snapshot. Of rows nearly 2^32 transactions old, some count as new.
create or replace function stowage.existed_at(written_by xid, moment pg_snapshot)
returns boolean
language sql
stable
parallel safe
set search_path = ''
as $$
  select case
           -- bootstrap and, from before PostgreSQL 9.4, frozen
           when number.of_row < 3 then true
           when number.behind < greatest(number.now - number.of_moment, 0) + 16777216 then false
           else pg_catalog.pg_visible_in_snapshot((number.of_moment + number.behind - 4294967296)::text::xid8, moment)
         end
    from (
      select x.of_row,
             x.of_moment,
             x.now,
             (x.of_row - x.of_moment) & 4294967295 as behind
        from (
          select written_by::text::bigint as of_row,
                 pg_catalog.pg_snapshot_xmax(moment)::text::bigint as of_moment,
                 pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::text::bigint as now
        ) as x
    ) as number
$$;

-- Which database cluster this is; null where the server does not say.
create or replace function stowage.cluster_id()
returns bigint
language plpgsql
stable
set search_path = ''
as $$
begin
  return (select c.system_identifier from pg_catalog.pg_control_system() as c);
exception when insufficient_privilege then
  return null;
end
$$;

alter function stowage.existed_at(xid, pg_snapshot) owner to stowage_service;
alter function stowage.cluster_id() owner to stowage_service;
revoke all on function stowage.existed_at(xid, pg_snapshot), stowage.cluster_id() from public;
grant execute on function stowage.existed_at(xid, pg_snapshot), stowage.cluster_id() to service_role;
