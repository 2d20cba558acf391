import { type OwnerClient } from '../pg/owner-connection.ts';
export type LoginUrls = {
    readonly web: string;
    readonly service: string;
};
/**
 * Connection strings of the two logins that requests run on, proven to work. Their passwords follow from the secret; where one is refused
 * (a new database, another secret before) the owner sets it.
 *
 * @throws StartupError
 */
export declare function ensureLogins(owner: OwnerClient, jwtSecret: string, urlFor: (login: string, password: string) => string): Promise<LoginUrls>;
