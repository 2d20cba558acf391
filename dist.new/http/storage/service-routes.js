import { callerOf } from './caller.js';
import { requestSignal } from './request-signal.js';
/** GET /status, /version and /health, as clients of the peer probe them. The last wants a token of any role and always answers 200. */
export function serviceRoutes(app, context) {
    const options = { exposeHeadRoute: true, config: { quiet: true } };
    app.get('/status', options, async (_request, reply) => reply.send());
    app.get('/version', options, async (_request, reply) => reply.type('text/plain; charset=utf-8').send(context.version));
    app.get('/health', options, async (request, reply) => {
        await callerOf(context, request, 'storage.bucket.list', 'token empty');
        return { healthy: await context.isHealthy(requestSignal(reply)) };
    });
}
