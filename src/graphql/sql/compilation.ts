import type { Sql } from '../../sqltext/sql.ts'
import type { CollectionPlan } from '../plan/plan.ts'
import type { Row } from './row.ts'

/** What one statement's compilation shares. */
export type Compilation = {
  /** relation aliases, counted: the same plan gives the same text */
  readonly nextAlias: () => string
  /** of one statement's answer */
  readonly maxBytes: number
  /** rows hold collections and collections rows: handed in, so that the files that compile them need not import each other */
  readonly compileCollection: (plan: CollectionPlan, outer: Row | null, compilation: Compilation) => Sql
}

export function startCompilation(compileCollection: Compilation['compileCollection'], maxBytes: number): Compilation {
  let count = 0
  return { nextAlias: () => `t${++count}`, maxBytes, compileCollection }
}
