/** A timestamptz as answers show it: UTC, milliseconds, Z, whatever the session's time zone is. */
export const isoTime = (column) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** For the deprecated uuid columns `owner`: a subject fits in or is left out. */
export const uuidOrNull = (subject) => (subject !== null && UUID.test(subject) ? subject : null);
/** A boolean as PostgreSQL writes it. */
export const isTrue = (text) => text === 't' || text === 'true';
