/** SQLSTATE raised by the preamble when the schema is not the one the batch was compiled for. */
export const STALE_CATALOG = 'SW001';
