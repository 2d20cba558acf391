/**
 * A request that cannot be answered: one message, in pg_graphql's words (reference for each in errors.ts).
 * `data: 'absent'` leaves the data key out of the answer, `null` sends it as null.
 */
export class GraphqlError extends Error {
    name = 'GraphqlError';
    data;
    line;
    column;
    constructor(message, data = 'null', place = null) {
        super(message);
        this.data = data;
        this.line = place?.line ?? null;
        this.column = place?.column ?? null;
    }
}
