import { PgError } from '../pg/pg-error.js';
/** PostgreSQL's words for a table, a function, or a schema of the extension that is not there. */
export const isMissingExtension = (error) => error instanceof PgError && (error.sqlstate === '42P01' || error.sqlstate === '42883' || error.sqlstate === '3F000');
