import type { Row } from '../../pg/scoped-batch.ts'
import type { Statement } from '../../sqltext/sql.ts'

/** What waits to be done behind requests; ages in seconds. */
export type Backlog = {
  /** versions to be removed, counted up to the limit */
  readonly outbox: number
  readonly outboxAge: number
  /** uploads under way, or broken off and not yet expired; counted up to the limit */
  readonly intents: number
  readonly emptyings: number
  /** since the longest neglected emptying was due */
  readonly emptyingAge: number
}

const MOST = 100_000

/** One row, at a cost that does not grow with the backlog: beyond the limit nobody needs the number. */
export const countBacklog = (): Statement => ({
  text: `/* backlog.count */
    select outbox.versions,
           outbox.age,
           intents.versions,
           emptyings.buckets,
           emptyings.age
      from (
        select count(*) as versions,
               coalesce(extract(epoch from clock_timestamp() - min(x.queued_at)), 0) as age
          from (select queued_at from stowage.outbox limit ${MOST}) as x
      ) as outbox
      cross join (
        select count(*) as versions
          from (select from stowage.intents limit ${MOST}) as i
      ) as intents
      cross join (
        select count(*) as buckets,
               greatest(coalesce(extract(epoch from clock_timestamp() - min(e.due_at)), 0), 0) as age
          from (select due_at from stowage.emptyings limit ${MOST}) as e
      ) as emptyings`,
  values: [],
})

export function backlog(row: Row | undefined): Backlog {
  const [outbox = 0, outboxAge = 0, intents = 0, emptyings = 0, emptyingAge = 0] = (row ?? []).map(Number)
  return { outbox, outboxAge, intents, emptyings, emptyingAge }
}
