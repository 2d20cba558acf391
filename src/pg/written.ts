import { LRUCache } from 'lru-cache'
import type { RoleContext } from '../auth/role-context.ts'
import type { Milliseconds } from '../std/brand.ts'

/** Transactions whose effects a caller has to see, as PostgreSQL's `xid8`; or more than is known. */
export type MustSee = readonly bigint[] | 'unknown'

/** Who has written what lately, as far as this process knows. Callers are told apart by role and subject, or by their token. */
export type Written = {
  readonly note: (as: RoleContext, xid: bigint) => void
  /** a write of theirs may have happened, under a number that nobody told */
  readonly doubt: (as: RoleContext) => void
  readonly mustSee: (as: RoleContext) => MustSee
  /** a copy of the database shows them: they need not be asked for again */
  readonly seen: (as: RoleContext, xids: readonly bigint[]) => void
}

type Entry = { readonly xids: readonly bigint[]; readonly notedAt: number; readonly doubtUntil: number }

/** Transactions of one caller that no copy has shown yet. Numbers are not given in the order of commits, so the highest does not stand for all. */
const MOST_OF_ONE = 16

/**
 * @param most callers remembered
 * @param lifeMs after it every copy that is used shows whatever was written before
 */
export function createWritten({
  most,
  lifeMs,
  now,
}: {
  readonly most: number
  readonly lifeMs: Milliseconds
  readonly now: () => number
}): Written {
  // a caller forgotten too early for want of room may be anybody
  let doubtAllUntil = 0
  const entries = new LRUCache<string, Entry>({
    max: most,
    dispose: ({ notedAt, doubtUntil }, _, why) => {
      if (why === 'evict') doubtAllUntil = Math.max(doubtAllUntil, notedAt + lifeMs, doubtUntil)
    },
  })
  const find = (as: RoleContext): Entry | undefined => {
    const known = entries.get(keyOf(as))
    return known && Math.max(known.notedAt + lifeMs, known.doubtUntil) > now() ? known : undefined
  }
  const doubt = (as: RoleContext) => entries.set(keyOf(as), { xids: find(as)?.xids ?? [], notedAt: now(), doubtUntil: now() + lifeMs })

  return {
    note: (as, xid) => {
      const known = find(as)
      const xids = [...(known?.xids ?? []), xid]
      if (xids.length > MOST_OF_ONE) doubt(as)
      else entries.set(keyOf(as), { xids, notedAt: now(), doubtUntil: known?.doubtUntil ?? 0 })
    },
    doubt,
    mustSee: (as) => {
      const known = find(as)
      if (Math.max(known?.doubtUntil ?? 0, doubtAllUntil) > now()) return 'unknown'
      return [...(known?.xids ?? []), ...(as.after ?? [])]
    },
    seen: (as, xids) => {
      const known = find(as)
      if (!known) return
      const left = known.xids.filter((xid) => !xids.includes(xid))
      if (left.length > 0 || known.doubtUntil > now()) entries.set(keyOf(as), { ...known, xids: left })
      else entries.delete(keyOf(as))
    },
  }
}

const keyOf = ({ role, subject, token }: RoleContext): string => `${role} ${subject === null ? `token ${token}` : `subject ${subject}`}`
