const ORDERED = ['eq', 'gt', 'gte', 'in', 'is', 'lt', 'lte', 'neq'];
/** The operators of a type's filter, pg_graphql's. */
export function filterOperators(type) {
    if (type.kind === 'list')
        return ['containedBy', 'contains', 'eq', 'is', 'overlaps'];
    if (type.kind === 'enum')
        return ['eq', 'in', 'is', 'neq'];
    switch (type.name) {
        case 'Boolean':
        case 'Opaque':
            return ['eq', 'is'];
        case 'UUID':
            return ['eq', 'in', 'is', 'neq'];
        case 'String':
            return [...ORDERED, 'startsWith', 'like', 'ilike', 'regex', 'iregex'];
        default:
            return ORDERED;
    }
}
export const filterTypeName = (type) => (type.kind === 'list' ? `${type.of.name}ListFilter` : `${type.name}Filter`);
