/** The account that the database server runs under; null: our own. */
export type ServerAccount = {
    readonly uid: number;
    readonly gid: number;
} | null;
/**
 * PostgreSQL refuses to run as root (manual 18.1), so root steps down to `postgres`, else to `nobody`.
 * An existing database keeps its owner, so that a folder made by one account can be served by root later.
 */
export declare function chooseServerAccount(owner: {
    readonly uid: number;
    readonly gid: number;
} | null): Promise<ServerAccount>;
/** True if the account can get at every path: tried by a process of that account, since mode bits are not the whole truth. */
export declare function canReach(account: ServerAccount, paths: readonly string[]): boolean;
