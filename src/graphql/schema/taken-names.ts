import type { Catalog, Grants } from '../../catalog/model.ts'
import { constantTypes } from './constant-types.ts'
import { fieldType } from './field-type.ts'

const CONSTANT: ReadonlySet<string> = new Set(['Query', 'Mutation', 'Node', ...constantTypes().map(({ name }) => name)])
/** Whether every schema has a type of that name. */
export const isConstantName = (name: string): boolean => CONSTANT.has(name)

/** What the types beside an entity's own end with. */
const COMPANION = /(?:Connection|Edge|Filter|OrderBy|Aggregate|AggregateResult|InsertInput|UpdateInput|Response)$/

/** Whether a type may have such a name that is not an entity's: one that every schema has, an enum's, or one that could stand beside an entity. */
export function takenNames(catalog: Catalog, grants: Grants): (name: string) => boolean {
  const enums = new Set<string>()
  for (const pg of catalog.types.values()) {
    const type = pg.kind === 'enum' ? fieldType(catalog, grants, pg) : null
    if (type?.kind === 'enum') enums.add(type.name)
  }
  return (name) => CONSTANT.has(name) || COMPANION.test(name) || enums.has(name)
}
