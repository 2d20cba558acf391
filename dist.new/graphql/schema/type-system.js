/** The GraphQL type system as introspection shows it: plain data, one role's view. */
export const named = (name) => ({ kind: 'named', name });
export const list = (of) => ({ kind: 'list', of });
export const nonNull = (of) => (of.kind === 'non null' ? of : { kind: 'non null', of });
