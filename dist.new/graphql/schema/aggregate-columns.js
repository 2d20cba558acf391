const SUMMED = new Set(['smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric', 'money']);
const COMPARED = new Set([
    ...SUMMED,
    'text',
    'character varying',
    'bpchar',
    '"char"',
    'name',
    'date',
    'time without time zone',
    'time with time zone',
    'timestamp without time zone',
    'timestamp with time zone',
    'boolean',
]);
/** Whether PostgreSQL's aggregate is offered for a type. */
export const isAggregated = (fn, type) => fn === 'sum' || fn === 'avg' ? SUMMED.has(type.sql) : COMPARED.has(type.sql) || type.name === 'citext';
export const aggregateColumns = (entity, fn) => entity.aggregates.filter(({ column }) => isAggregated(fn, column.type));
