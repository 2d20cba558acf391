import pg from 'pg';
/** Why a connection was not had. `sqlstate` is null when no PostgreSQL answered. */
export class ConnectError extends Error {
    name = 'ConnectError';
    sqlstate;
    constructor(message, sqlstate, options) {
        super(message, options);
        this.sqlstate = sqlstate;
    }
}
/**
 * One connection, outside the pools.
 * @throws ConnectError whose message never holds the password
 */
export async function connectOwner(url, applicationName) {
    let client;
    try {
        client = new pg.Client({ connectionString: url, application_name: applicationName, connectionTimeoutMillis: 10_000, keepAlive: true });
    }
    catch {
        throw new ConnectError('it is not a connection string like postgresql://user:password@host:5432/database', null);
    }
    // an error between statements shows in the next one
    client.on('error', () => undefined);
    try {
        await client.connect();
    }
    catch (error) {
        await client.end().catch(() => undefined);
        const sqlstate = error instanceof pg.DatabaseError ? (error.code ?? null) : null;
        throw new ConnectError(wordsOf(error), sqlstate, { cause: error });
    }
    return {
        query: async (text, values) => {
            const result = await client.query(text, values);
            return Array.isArray(result) ? (result.at(-1) ?? { rows: [] }) : result;
        },
        end: () => client.end(),
    };
}
/** Node gives an error without a message when several addresses of a host were tried. */
function wordsOf(error) {
    if (error instanceof AggregateError)
        return error.errors.map(wordsOf).join(', ');
    if (error instanceof Error)
        return error.message || error.name;
    return String(error);
}
