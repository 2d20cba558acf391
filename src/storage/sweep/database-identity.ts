import type { PgText } from '../../sqltext/sql.ts'

/** The database as a pass of the sweeper saw it. Numbers as text: they have 64 bits. */
export type SeenDatabase = {
  /** of the server's data folder, given when it was made; null where the server does not say */
  readonly cluster: string | null
  /** the number of one of its tables: a dump that is read in anew gets others */
  readonly table: string
  /** bytes of its log that were on the disk, counted since the cluster was made */
  readonly position: string
  /** why this database is not believed; it stays so until somebody says that it is the right one */
  readonly refused: string | null
}

/** Out of what `findWork` answers. */
export const seenDatabase = (cluster: PgText | undefined, table: PgText | undefined, position: PgText | undefined): SeenDatabase => ({
  cluster: cluster ?? null,
  table: table ?? '',
  position: position ?? '0',
  refused: null,
})

/** @throws for what is no such note */
export function readSeenDatabase(json: unknown): SeenDatabase {
  const { cluster, table, position, refused } = json as Partial<SeenDatabase>
  const isText = (value: unknown): value is string => typeof value === 'string'
  if (!isText(table) || !isText(position) || !/^\d+$/.test(position)) throw new Error('this is no note about a database')
  return { cluster: isText(cluster) ? cluster : null, table, position, refused: isText(refused) ? refused : null }
}

/**
 * Why bytes that this database knows nothing of may be somebody's: it is a copy, or an older state, of the one that was seen last. Then what
 * was stored since has no row, and would be taken for left-overs. null: it is the same, and has only gone on.
 */
export function whyNotTheSame(before: SeenDatabase | null, now: SeenDatabase): string | null {
  if (before === null) return null
  if (before.refused !== null) return before.refused
  if (before.table !== now.table || (before.cluster !== null && now.cluster !== null && before.cluster !== now.cluster))
    return `the database is another one than before, or was read in from a dump: ${ADVICE}`
  if (BigInt(now.position) < BigInt(before.position)) return `the database has gone back to an older state: ${ADVICE}`
  return null
}

const ADVICE = 'bytes stored since then have no row. Prove it with "stowage scrub", then accept it with "stowage sweep --accept-database"'
