import type { Statement } from '../sqltext/sql.ts';
import type { Row } from './scoped-batch.ts';
/** The part of pg's Connection that a Submittable writes to. */
export type Wire = {
    readonly stream: {
        cork(): void;
        uncork(): void;
        destroy(): void;
    };
    parse(query: {
        name: string;
        text: string;
        types: number[];
    }): void;
    bind(config: {
        portal: string;
        statement: string;
        values: readonly (string | null)[];
        valueMapper: (value: unknown) => unknown;
    }): void;
    execute(config: {
        portal: string;
        rows: number;
    }): void;
    close(message: {
        type: 'S';
        name: string;
    }): void;
    sync(): void;
    on(event: 'parseComplete', listener: () => void): void;
};
/** A statement and who runs it: PostgreSQL drops a plan that depends on row security when the role changes, so names are per role. */
export type Prepared = {
    readonly role: string;
    readonly statement: Statement;
};
/** What one connection has prepared. Bounded: the least recently used is closed on the server too. */
export declare class PreparedNames {
    private readonly byRole;
    private readonly maxPerRole;
    private counter;
    private evicted;
    constructor(maxPerRole: number);
    find(role: string, text: string): string | undefined;
    add(role: string, text: string): string;
    forget(role: string, text: string): void;
    takeEvicted(): readonly string[];
}
/** `null` as names: prepare nothing, for poolers that cannot keep names. */
export type WireState = {
    readonly names: PreparedNames | null;
    current: Exchange | null;
};
/**
 * Statements and one Sync in a single write; rows per statement back. Everything before a Sync is one implicit transaction
 * (PostgreSQL manual 55.2.4). A Submittable of pg: the client calls `submit` when the connection is ready, then the handlers.
 */
export declare class Exchange {
    private readonly state;
    private readonly batch;
    private readonly settle;
    private readonly rows;
    private readonly parsing;
    private parsed;
    private at;
    private done;
    readonly startedAt: number;
    constructor(state: WireState, batch: readonly Prepared[], settle: (error: Error | null, rows: readonly (readonly Row[])[]) => void);
    submit(wire: Wire): void;
    private send;
    handleParseComplete(): void;
    handleDataRow(message: {
        fields: Row;
    }): void;
    handleCommandComplete(): void;
    handleEmptyQuery(): void;
    /** After an error pg forgets the query and waits for ReadyForQuery itself. */
    handleError(error: Error): void;
    handleReadyForQuery(): void;
    handleRowDescription(): void;
    handlePortalSuspended(): void;
    handleCopyInResponse(): void;
    handleCopyData(): void;
    private finish;
}
