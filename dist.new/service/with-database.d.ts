import { type Database } from './open-database.ts';
/**
 * Hands a command the database that the settings name: the one of DATABASE_URL, the built-in one that a service has running,
 * or the built-in one started for as long as the command takes.
 */
export declare function withDatabase<T>(onLine: (line: string) => void, work: (database: Database) => Promise<T>): Promise<T>;
