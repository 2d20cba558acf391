/** PostgreSQL's words for a table, a function, or a schema of the extension that is not there. */
export declare const isMissingExtension: (error: unknown) => boolean;
