export const permits = (grant, column) => grant === 'all' || grant.has(column.number);
