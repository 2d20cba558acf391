import type { Catalog, Grants, PgFunction, Relation } from '../../catalog/model.ts'

/** Whether the role may call it by its schema and its name. */
export const isCallable = (grants: Grants, fn: PgFunction): boolean => grants.functions.has(fn.oid) && grants.schemas.has(fn.schema.name)

/** The relation whose row it returns, if it is one. */
export const rowOfReturn = ({ relations }: Catalog, { returns }: PgFunction): Relation | undefined =>
  returns.relation === null ? undefined : relations.get(returns.relation)

/** A set that is declared to have one row is taken for that row. */
export const returnsRows = (fn: PgFunction): boolean => fn.returnsSet && fn.rows !== 1
