import type { Row } from '../../pg/scoped-batch.ts'
import type { Statement } from '../../sqltext/sql.ts'
import type { Milliseconds } from '../../std/brand.ts'
import type { BucketId } from '../key.ts'
import { isTrue } from './columns.ts'

/**
 * Promises to remove what lies in the bucket at this moment; a second promise takes the place of the first. A row comes back when there is
 * such a bucket: the moment, as PostgreSQL writes it.
 */
export const requestEmptying = (bucket: BucketId, patienceMs: Milliseconds): Statement => ({
  text: `/* emptyings.request */
    insert into stowage.emptyings (bucket_id, cluster, due_at)
    select b.id,
           stowage.cluster_id(),
           clock_timestamp() + $2::double precision * interval '1 millisecond'
      from storage.buckets b
     where b.id = $1::text
    on conflict (bucket_id) do update
       set moment = pg_current_snapshot(),
           cluster = excluded.cluster,
           requested_at = excluded.requested_at,
           after_name = null,
           removed = 0,
           attempts = 0,
           due_at = excluded.due_at
    returning moment`,
  values: [bucket, String(patienceMs)],
})

/** Buckets whose emptying nobody is at work on. Nothing waits longer than an hour: what says so was written before the clock was set back. */
export const dueEmptyings = (limit: number): Statement => ({
  text: `/* emptyings.due */
    select bucket_id
      from stowage.emptyings
     where due_at not between clock_timestamp() and clock_timestamp() + interval '2 hours'
     order by due_at
     limit $1::integer`,
  values: [String(limit)],
})

/**
 * Looks at the next `limit` keys and removes those that were there when it was promised, in the order of keys, so that each is looked at once.
 * An object that was written, replaced or moved since then has a younger row version and stays. No row: nothing is promised (any more) on
 * this cluster.
 */
export const emptyingStep = (bucket: BucketId, limit: number, patienceMs: Milliseconds): Statement => ({
  text: `/* emptyings.step */
    with job as (
      select e.moment,
             e.after_name,
             e.removed
        from stowage.emptyings e
       where e.bucket_id = $1::text
         and e.cluster is not distinct from stowage.cluster_id()
         for update
    ), named as (
      select o.id,
             o.name
        from job
       cross join lateral storage.list_level($1::text, '', '', $2::integer, job.after_name) as o
    ), nameless as (
      select x.id
        from storage.objects x
       where x.bucket_id = $1::text
         and x.name is null
       limit $2::integer
    ), gone as (
      delete from storage.objects o
       where o.id = any (array(select named.id from named union all select nameless.id from nameless))
         and stowage.existed_at(o.xmin, (select job.moment from job))
      returning o.id
    ), outcome as (
      select job.removed + (select count(*) from gone) as removed,
             (select count(*) from named) < $2::integer and (select count(*) from gone) < $2::integer as done
        from job
    ), finished as (
      delete from stowage.emptyings e
       using outcome
       where e.bucket_id = $1::text
         and outcome.done
    ), advanced as (
      update stowage.emptyings e
         set after_name = coalesce((select max(named.name collate "C") from named), e.after_name),
             removed = outcome.removed,
             attempts = 0,
             due_at = clock_timestamp() + $3::double precision * interval '1 millisecond'
        from outcome
       where e.bucket_id = $1::text
         and not outcome.done
    )
    select outcome.removed,
           outcome.done
      from outcome`,
  values: [bucket, String(limit), String(patienceMs)],
})

/** `removed`: all in all */
export type EmptyingProgress = { readonly removed: number; readonly done: boolean }

/** null: nothing was promised */
export const emptyingProgress = (row: Row | undefined): EmptyingProgress | null =>
  row ? { removed: Number(row[0]), done: isTrue(row[1]) } : null

/** After a failure; the wait doubles from two seconds to an hour. */
export const postponeEmptying = (bucket: BucketId): Statement => ({
  text: `/* emptyings.postpone */
    update stowage.emptyings
       set attempts = attempts + 1,
           due_at = clock_timestamp() + least(power(2, least(attempts + 1, 12)), 3600) * interval '1 second'
     where bucket_id = $1::text`,
  values: [bucket],
})

/** Takes the promise of that moment back. */
export const forgetEmptying = (bucket: BucketId, moment: string): Statement => ({
  text: `/* emptyings.forget */
    delete from stowage.emptyings
     where bucket_id = $1::text
       and moment::text = $2::text`,
  values: [bucket, moment],
})

/** What was promised on another cluster cannot be kept here: a row a bucket. */
export const forgetForeignEmptyings = (): Statement => ({
  text: `/* emptyings.forget_foreign */
    delete from stowage.emptyings
     where cluster is distinct from stowage.cluster_id()
    returning bucket_id`,
  values: [],
})
