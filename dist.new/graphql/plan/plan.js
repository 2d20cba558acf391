export const EVERY_ROW = { kind: 'and', terms: [] };
