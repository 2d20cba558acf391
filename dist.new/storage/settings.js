/** Headers whose value is a credential: policies have no use for them, `request.jwt.claims` says who asks. */
const CREDENTIALS = new Set(['authorization', 'apikey', 'cookie', 'proxy-authorization', 'x-signature']);
/** Always these names in this order, so that the preamble stays prepared. */
export function storageSettings(operation, { method, path, headers }) {
    const shown = Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIALS.has(name)));
    return [
        ['storage.operation', operation],
        ['request.method', method],
        ['request.path', path],
        ['request.headers', JSON.stringify(shown)],
        // opens the guard that refuses hand-made deletions
        ['storage.allow_delete_query', 'true'],
    ];
}
