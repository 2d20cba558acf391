import { type OwnerConnection } from '../pg/owner-connection.ts';
import { type LoginUrls } from './ensure-logins.ts';
export type Database = {
    /** the owner's connection string */
    readonly ownerUrl: string;
    /** connection string of another login on the same database */
    readonly urlFor: (login: string, password: string) => string;
    /** true if it is the built-in one */
    readonly own: boolean;
};
/** The database that DATABASE_URL names. */
export declare const foreignDatabase: (url: string) => Database;
/**
 * Brings the database to this release: migrations, extension, logins.
 * @throws StartupError
 */
export declare function openDatabase(database: Database, jwtSecret: string, onLine: (line: string) => void): Promise<LoginUrls>;
/** The part of {@link openDatabase} that changes the database's schema. Returns the files that ran. */
export declare function migrateDatabase(database: Database, onLine: (line: string) => void): Promise<readonly string[]>;
/** A connection as the owner, to a server that fits. */
export declare function connect(database: Database, onLine: (line: string) => void): Promise<OwnerConnection>;
