import { listBuckets as list } from '../../storage/bucket/list-buckets.js';
import { listedBuckets } from './bucket-view.js';
import { callerOf } from './caller.js';
import { requestSignal } from './request-signal.js';
const SHAPE = {
    querystring: {
        type: 'object',
        properties: {
            limit: { type: 'integer', minimum: 1 },
            offset: { type: 'integer', minimum: 0 },
            sortColumn: { type: 'string', enum: ['id', 'name', 'created_at', 'updated_at'] },
            sortOrder: { type: 'string', enum: ['asc', 'desc'] },
            search: { type: 'string' },
        },
    },
};
/** GET and HEAD /bucket */
export function listBuckets(app, context) {
    app.get('/', { schema: SHAPE, exposeHeadRoute: true }, async (request, reply) => {
        const call = await callerOf(context, request, 'storage.bucket.list');
        const { limit = null, offset = 0, search = null, sortColumn, sortOrder = 'asc' } = request.query;
        const order = sortColumn ? { column: sortColumn, direction: sortOrder } : null;
        const buckets = await list(context.storage, call, { limit, offset, search, order }, requestSignal(reply));
        return listedBuckets(request, buckets);
    });
}
