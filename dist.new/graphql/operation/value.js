export const ABSENT = { kind: 'absent', origin: null };
