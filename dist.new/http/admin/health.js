/** For supervisors and load balancers: `live` says that the process answers, `ready` that it should be given requests. */
export function registerHealthRoutes(app, deps) {
    const answer = { config: { quiet: true } };
    app.get('/health/live', answer, (_, reply) => reply.header('cache-control', 'no-store').send({ live: true }));
    app.get('/health/ready', answer, async (_, reply) => {
        const ready = await deps.isReady();
        return reply
            .code(ready ? 200 : 503)
            .header('cache-control', 'no-store')
            .send({ ready });
    });
}
