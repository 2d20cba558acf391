/** A timestamptz as answers show it: UTC, milliseconds, Z, whatever the session's time zone is. */
export declare const isoTime: (column: string) => string;
/** For the deprecated uuid columns `owner`: a subject fits in or is left out. */
export declare const uuidOrNull: (subject: string | null) => string | null;
/** A boolean as PostgreSQL writes it. */
export declare const isTrue: (text: string | null | undefined) => boolean;
