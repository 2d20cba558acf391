import type { OwnerClient } from './owner-connection.ts';
export type MigrateOptions = {
    /** numbered files, `0001-name.sql`: each runs once, in order, and is frozen from then on */
    readonly migrationsFolder: string;
    /** the current text of each function of ours; a file runs again when it changed, so it must be repeatable */
    readonly routinesFolder: string;
    /** true if the database was made by us and for us: then the public schema is opened to the API's roles */
    readonly ownDatabase: boolean;
    readonly onLine: (line: string) => void;
};
/** The database could not be brought to this release's state; what was under way was rolled back. */
export declare class MigrationError extends Error {
    readonly name = "MigrationError";
}
/**
 * Brings the database to the state of this release. Each file is its own transaction that also notes it as done, so a kill in the
 * middle loses nothing, and servers that start at once take turns. Returns the files that ran.
 *
 * @throws MigrationError naming the file
 */
export declare function migrate(client: OwnerClient, options: MigrateOptions): Promise<readonly string[]>;
