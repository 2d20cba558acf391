/**
 * The chunks of a body as they arrive. Unlike the stream's own iterator it never destroys the body: when a put is refused half-way,
 * whoever owns the socket may still want to answer on it. Ends early with the signal's reason, or when the body breaks off.
 */
export async function* readChunks(body, signal) {
    let wake = () => { };
    let failure;
    let failed = false;
    let ended = false;
    const fail = (error) => {
        if (!failed)
            failure = error;
        failed = true;
        wake();
    };
    const onAbort = () => fail(signal.reason);
    const onReadable = () => wake();
    const onEnd = () => {
        ended = true;
        wake();
    };
    const onClose = () => {
        if (!ended)
            fail(new BodyBrokeOff('the body ended before it was complete'));
    };
    signal.throwIfAborted();
    if (body.errored)
        throw body.errored;
    signal.addEventListener('abort', onAbort, { once: true });
    body.on('readable', onReadable).on('end', onEnd).on('error', fail).on('close', onClose);
    try {
        if (body.readableEnded)
            ended = true;
        else if (body.destroyed)
            onClose();
        for (;;) {
            if (failed)
                throw failure;
            const chunk = ended ? null : body.read();
            if (chunk !== null) {
                yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
                continue;
            }
            if (ended)
                return;
            await new Promise((resolve) => {
                wake = resolve;
                if (failed || ended)
                    resolve();
            });
        }
    }
    finally {
        signal.removeEventListener('abort', onAbort);
        body.off('readable', onReadable).off('end', onEnd).off('close', onClose);
        // the listener for errors stays: a body that breaks after it was refused must not end the process
    }
}
/** The sender went away in the middle. */
export class BodyBrokeOff extends Error {
    name = 'BodyBrokeOff';
}
