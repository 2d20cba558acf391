import { LRUCache } from 'lru-cache';
import { PgError } from './pg-error.js';
/** What one connection has prepared. Bounded: the least recently used is closed on the server too. */
export class PreparedNames {
    byRole = new Map();
    maxPerRole;
    counter = 0;
    evicted = [];
    constructor(maxPerRole) {
        this.maxPerRole = maxPerRole;
    }
    find(role, text) {
        return this.byRole.get(role)?.get(text);
    }
    add(role, text) {
        let names = this.byRole.get(role);
        if (!names) {
            names = new LRUCache({ max: this.maxPerRole, dispose: (name, _text, why) => why === 'evict' && this.evicted.push(name) });
            this.byRole.set(role, names);
        }
        const name = `s${++this.counter}`;
        names.set(text, name);
        return name;
    }
    forget(role, text) {
        this.byRole.get(role)?.delete(text);
    }
    takeEvicted() {
        if (this.evicted.length === 0)
            return [];
        const names = this.evicted;
        this.evicted = [];
        return names;
    }
}
const asIs = (value) => value;
const NO_TYPES = [];
/**
 * Statements and one Sync in a single write; rows per statement back. Everything before a Sync is one implicit transaction
 * (PostgreSQL manual 55.2.4). A Submittable of pg: the client calls `submit` when the connection is ready, then the handlers.
 */
export class Exchange {
    state;
    batch;
    settle;
    rows = [[]];
    parsing = [];
    parsed = 0;
    at = 0;
    done = false;
    startedAt = performance.now();
    constructor(state, batch, settle) {
        this.state = state;
        this.batch = batch;
        this.settle = settle;
    }
    submit(wire) {
        this.state.current = this;
        wire.stream.cork();
        for (const prepared of this.batch)
            this.send(wire, prepared);
        for (const name of this.state.names?.takeEvicted() ?? [])
            wire.close({ type: 'S', name });
        wire.sync();
        wire.stream.uncork();
    }
    send(wire, prepared) {
        const { role, statement } = prepared;
        const names = this.state.names;
        let name = names?.find(role, statement.text);
        if (name === undefined) {
            name = names ? names.add(role, statement.text) : '';
            this.parsing.push(prepared);
            wire.parse({ name, text: statement.text, types: NO_TYPES });
        }
        wire.bind({ portal: '', statement: name, values: statement.values, valueMapper: asIs });
        wire.execute({ portal: '', rows: 0 });
    }
    handleParseComplete() {
        this.parsed++;
    }
    handleDataRow(message) {
        this.rows[this.at]?.push(message.fields);
    }
    handleCommandComplete() {
        this.at++;
        if (this.at < this.batch.length)
            this.rows.push([]);
    }
    handleEmptyQuery() {
        this.handleCommandComplete();
    }
    /** After an error pg forgets the query and waits for ReadyForQuery itself. */
    handleError(error) {
        if (this.state.names)
            for (const { role, statement } of this.parsing.slice(this.parsed))
                this.state.names.forget(role, statement.text);
        const fields = error;
        this.finish(typeof fields.code === 'string' && fields.code.length === 5 && 'severity' in fields ? new PgError(fields, this.at) : error);
    }
    handleReadyForQuery() {
        this.finish(null);
    }
    handleRowDescription() { }
    handlePortalSuspended() { }
    handleCopyInResponse() { }
    handleCopyData() { }
    finish(error) {
        if (this.done)
            return;
        this.done = true;
        this.state.current = null;
        this.settle(error, this.rows);
    }
}
