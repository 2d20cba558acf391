import { GraphqlError } from './operation/operation.js';
/** The response body. PostgreSQL's text is put in as it is; failed roots are left out and told of in `errors`. */
export function respond(parts, rows, errors) {
    const members = parts.map((part) => {
        const json = part.from === 'document' ? part.json : (rows[part.statement]?.[part.column] ?? 'null');
        return `${JSON.stringify(part.key)}:${json}`;
    });
    const data = members.length === 0 && errors.length > 0 ? 'null' : `{${members.join(',')}}`;
    return errors.length > 0 ? `{"data":${data},"errors":[${errors.map(rootError).join(',')}]}` : `{"data":${data}}`;
}
const rootError = ({ key, error }) => describe(error, [key]);
function describe(error, path) {
    const locations = error.line === null || error.column === null ? {} : { locations: [{ line: error.line, column: error.column }] };
    return JSON.stringify({ message: error.message, ...locations, ...(path ? { path } : {}) });
}
/** A request that could not be answered at all. */
export const respondError = (error) => error.data === 'absent' ? `{"errors":[${describe(error, null)}]}` : `{"data":null,"errors":[${describe(error, null)}]}`;
/** PostgreSQL refused: its primary message and SQLSTATE, nothing else of it. */
export const respondDatabaseError = (message, sqlstate) => JSON.stringify({ data: null, errors: [{ message, extensions: { code: sqlstate } }] });
