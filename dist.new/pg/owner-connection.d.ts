/** What a `pg` client or pool client offers, for the few statements that the database's owner runs: several at once, no values as text. */
export type OwnerClient = {
    readonly query: (text: string, values?: string[]) => Promise<{
        readonly rows: readonly unknown[];
    }>;
};
export type OwnerConnection = OwnerClient & {
    readonly end: () => Promise<void>;
};
/** Why a connection was not had. `sqlstate` is null when no PostgreSQL answered. */
export declare class ConnectError extends Error {
    readonly name = "ConnectError";
    readonly sqlstate: string | null;
    constructor(message: string, sqlstate: string | null, options?: ErrorOptions);
}
/**
 * One connection, outside the pools.
 * @throws ConnectError whose message never holds the password
 */
export declare function connectOwner(url: string, applicationName: string): Promise<OwnerConnection>;
