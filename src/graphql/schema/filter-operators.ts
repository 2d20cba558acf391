import type { FieldType } from './field-type.ts'

export type FilterOperator =
  | 'eq'
  | 'neq'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'in'
  | 'is'
  | 'startsWith'
  | 'like'
  | 'ilike'
  | 'regex'
  | 'iregex'
  | 'contains'
  | 'containedBy'
  | 'overlaps'

const ORDERED: readonly FilterOperator[] = ['eq', 'gt', 'gte', 'in', 'is', 'lt', 'lte', 'neq']

/** The operators of a type's filter, pg_graphql's. */
export function filterOperators(type: FieldType): readonly FilterOperator[] {
  if (type.kind === 'list') return ['containedBy', 'contains', 'eq', 'is', 'overlaps']
  if (type.kind === 'enum') return ['eq', 'in', 'is', 'neq']
  switch (type.name) {
    case 'Boolean':
    case 'Opaque':
      return ['eq', 'is']
    case 'UUID':
      return ['eq', 'in', 'is', 'neq']
    case 'String':
      return [...ORDERED, 'startsWith', 'like', 'ilike', 'regex', 'iregex']
    default:
      return ORDERED
  }
}

export const filterTypeName = (type: FieldType): string => (type.kind === 'list' ? `${type.of.name}ListFilter` : `${type.name}Filter`)
