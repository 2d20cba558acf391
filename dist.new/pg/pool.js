import pg from 'pg';
import { Exchange, PreparedNames } from './exchange.js';
import { isUnavailableState, PgCancelled, PgError, PgUnavailable } from './pg-error.js';
import { preamble } from './preamble.js';
/** Fixed at connect, whatever the database or role has set: quoting, encodings and number texts are what our SQL counts on. */
const FIXED_SETTINGS = '-c standard_conforming_strings=on -c datestyle=ISO -c intervalstyle=postgres -c bytea_output=hex -c extra_float_digits=1 -c jit=off -c idle_in_transaction_session_timeout=10000';
const BEGIN = { text: 'begin', values: [] };
const ROLLBACK = { text: 'rollback', values: [] };
/** A pool of connections whose only use is {@link RunScoped}: preamble, statements and one Sync in one write (PostgreSQL manual 55.2.4). */
export function createPgPool(options) {
    const config = {
        connectionString: options.url,
        application_name: options.applicationName,
        max: options.maxConnections,
        connectionTimeoutMillis: options.waitMs,
        idleTimeoutMillis: 60_000,
        keepAlive: true,
        options: FIXED_SETTINGS,
    };
    const pool = new pg.Pool(config);
    const states = new WeakMap();
    const active = new Map();
    pool.on('connect', (client) => {
        const state = { names: options.preparedPerRole > 0 ? new PreparedNames(options.preparedPerRole) : null, current: null };
        states.set(client, state);
        wireOf(client).on('parseComplete', () => state.current?.handleParseComplete());
    });
    pool.on('error', (error) => options.onIdleError?.(error));
    const watch = setInterval(() => {
        const now = performance.now();
        for (const [exchange, { client, deadlineMs }] of active)
            if (now - exchange.startedAt > deadlineMs)
                wireOf(client).stream.destroy();
    }, 1_000);
    watch.unref();
    const run = (batch, signal) => new Promise((resolve, reject) => {
        if (signal.aborted)
            return reject(new PgCancelled());
        if (pool.waitingCount >= options.maxWaiting)
            return reject(new PgUnavailable('pool exhausted'));
        pool.connect((error, client, release) => {
            if (error || !client)
                return reject(unreachable(error));
            if (signal.aborted) {
                release();
                return reject(new PgCancelled());
            }
            send(batch, client, release, signal, resolve, reject);
        });
    });
    function send(batch, client, release, signal, resolve, reject) {
        const prepared = batch.statements.map((statement) => ({ role: batch.as.role, statement }));
        prepared.unshift({ role: '', statement: preamble(batch, options) });
        const dryRun = batch.end === 'roll back';
        if (dryRun) {
            prepared.unshift({ role: '', statement: BEGIN });
            prepared.push({ role: '', statement: ROLLBACK });
        }
        const before = dryRun ? 2 : 1;
        const state = states.get(client) ?? { names: null, current: null };
        let cancelled = false;
        const exchange = new Exchange(state, prepared, (error, rows) => {
            active.delete(exchange);
            signal.removeEventListener('abort', cancel);
            if (cancelled)
                return release(true);
            if (!error) {
                // anything but idle means that a statement of ours left a transaction open: never hand that connection on
                release(client.getTransactionStatus() !== 'I');
                return resolve(rows.slice(before, before + batch.statements.length));
            }
            if (!(error instanceof PgError) || isUnavailableState(error.sqlstate)) {
                release(true);
                return reject(lost(error, exchange, deadlineMs));
            }
            const answer = new PgError(error.cause, error.statement - before);
            if (!dryRun) {
                release();
                return reject(answer);
            }
            client.query('rollback').then(() => release(), () => release(true));
            return reject(answer);
        });
        const deadlineMs = (options.statementTimeoutMs(batch.as.role) || 3_600_000) * batch.statements.length + options.graceMs;
        const cancel = () => {
            cancelled = true;
            new pg.Client(config).cancel(client, exchange);
            reject(new PgCancelled());
        };
        active.set(exchange, { client, deadlineMs });
        signal.addEventListener('abort', cancel, { once: true });
        options.onTrip?.(batch.statements.length);
        client.query(exchange);
    }
    return {
        run,
        query: async ({ text, values }) => {
            try {
                const result = await pool.query({ text, values: [...values], rowMode: 'array', types: AS_TEXT });
                return result.rows;
            }
            catch (error) {
                throw error instanceof pg.DatabaseError ? new PgError(error, 0) : unreachable(error);
            }
        },
        stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
        end: async () => {
            clearInterval(watch);
            await pool.end();
        },
    };
}
const AS_TEXT = { getTypeParser: () => (text) => text };
const wireOf = (client) => client.connection;
/** pg says why a connection could not be had in words only: its own waiting limit, or whatever the socket or the server said. */
function unreachable(error) {
    const exhausted = error?.message.includes('timeout exceeded when trying to connect');
    return new PgUnavailable(exhausted ? 'pool exhausted' : 'unreachable', { cause: error });
}
function lost(error, exchange, deadlineMs) {
    const late = performance.now() - exchange.startedAt > deadlineMs;
    return new PgUnavailable(late ? 'deadline passed' : 'connection lost', { cause: error });
}
