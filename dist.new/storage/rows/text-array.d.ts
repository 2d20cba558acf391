/** The text of a text[] (PostgreSQL manual 8.15.2): every element quoted, so that none is read as NULL. */
export declare const textArray: (items: readonly string[]) => string;
