import type { Milliseconds } from '../std/brand.ts';
import type { Statement } from '../sqltext/sql.ts';
import { type PreambleDefaults } from './preamble.ts';
import type { Row, RunScoped } from './scoped-batch.ts';
export type PgPoolOptions = PreambleDefaults & {
    /** connection URI, PostgreSQL manual 34.1.1.2 */
    readonly url: string;
    readonly applicationName: string;
    readonly maxConnections: number;
    /** how long a batch may wait for a connection */
    readonly waitMs: Milliseconds;
    /** batches waiting at once; one more is refused */
    readonly maxWaiting: number;
    /** added to a role's statement timeout: past it the connection is given up, since PostgreSQL does not answer */
    readonly graceMs: Milliseconds;
    /** prepared statements kept per connection and role; 0 prepares none, for poolers that cannot keep names */
    readonly preparedPerRole: number;
    /** told of every round trip, with the number of the batch's statements */
    readonly onTrip?: (statements: number) => void;
    /** told of errors on idle connections; they are replaced, nobody waits for them */
    readonly onIdleError?: (error: Error) => void;
};
export type PgPool = {
    readonly run: RunScoped;
    /** one statement as the login itself, outside any scope: for reflection and upkeep, never with a caller's words in the text */
    readonly query: (statement: Statement) => Promise<readonly Row[]>;
    readonly stats: () => {
        readonly total: number;
        readonly idle: number;
        readonly waiting: number;
    };
    readonly end: () => Promise<void>;
};
/** A pool of connections whose only use is {@link RunScoped}: preamble, statements and one Sync in one write (PostgreSQL manual 55.2.4). */
export declare function createPgPool(options: PgPoolOptions): PgPool;
