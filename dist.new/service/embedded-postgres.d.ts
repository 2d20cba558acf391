export type EmbeddedPostgresOptions = {
    /** ours alone; made when absent */
    readonly folder: string;
    /** on 127.0.0.1; without it the port of the last start, or a free one */
    readonly port?: number;
    /** false gives up every promise about crashes, for tests that throw the database away */
    readonly durable: boolean;
    /** holds `*.control` and must be called `extension`; null: the server knows its own extensions only */
    readonly extensionFolder: string | null;
    /** told what is going on, and every line of the server's log */
    readonly onLine: (line: string) => void;
};
export type EmbeddedPostgres = {
    /** over TCP, password included */
    readonly superuserUrl: string;
    /** for another login, over the Unix socket */
    readonly urlFor: (login: string, password: string) => string;
    readonly socketFolder: string;
    readonly port: number;
    readonly pid: number;
    /** settles when the server has ended, wanted or not */
    readonly exited: Promise<void>;
    /** refuses new connections, rolls back what is under way, writes a checkpoint (a "fast" shutdown) */
    readonly stop: () => Promise<void>;
};
/**
 * Starts the PostgreSQL that comes with the package: makes the cluster on first use, ends a server that a killed service left behind,
 * and returns when connections are accepted. Two callers on one folder must be kept apart by the caller.
 *
 * @throws StartupError
 */
export declare function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres>;
/** The superuser's connection string of the last start, whether or not the server runs; null when there is none. */
export declare function lastSuperuserUrl(folder: string): Promise<string | null>;
