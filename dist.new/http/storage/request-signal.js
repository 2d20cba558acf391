const signals = new WeakMap();
/** Aborted when the client goes away before it has the whole answer. */
export function requestSignal(reply) {
    const known = signals.get(reply);
    if (known)
        return known;
    const controller = new AbortController();
    const { raw } = reply;
    raw.once('close', () => {
        if (!raw.writableFinished)
            controller.abort(new Error('the client went away'));
    });
    if (raw.destroyed)
        controller.abort(new Error('the client went away'));
    signals.set(reply, controller.signal);
    return controller.signal;
}
