/** The part of a pg client that is needed: one simple query, which may hold several statements. */
export type SimpleClient = {
    query(text: string): Promise<{
        rows: readonly Record<string, unknown>[];
    }>;
};
export declare const EXTENSION_VERSION = "1.0.0";
/**
 * Puts stowage_graphql into a database whose server does not know its files (managed PostgreSQL): the same SQL, without
 * `create extension`. Does nothing where it is there already, by files or without. Needs the right to create event triggers.
 */
export declare function installExtension(client: SimpleClient, version?: string): Promise<void>;
