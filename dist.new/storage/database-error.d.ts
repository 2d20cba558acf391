type Refusal = {
    readonly name: 'PgError';
    readonly sqlstate: string;
    readonly statement: number;
    readonly message: string;
} & Error;
/** PostgreSQL's own refusal, told by its shape: this folder is handed functions, not the driver. */
export declare const isRefusal: (error: unknown) => error is Refusal;
export declare const sqlstateOf: (error: unknown) => string | null;
/** unique_violation: who inserts knows what is taken, so each use case names its own. */
export declare const UNIQUE_VIOLATION = "23505";
export declare const FOREIGN_KEY_VIOLATION = "23503";
/** What the database said, as an error of this face. Anything that did not come from it is handed on as it is. */
export declare function fromDatabase(error: unknown): unknown;
export {};
