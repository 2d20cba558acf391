export function createBackground(observe) {
    const stopping = new AbortController();
    const running = new Set();
    return {
        run: (what, work) => {
            const ended = work(stopping.signal)
                .catch((error) => {
                if (!stopping.signal.aborted)
                    observe({ kind: 'failure', message: `background work failed: ${what}`, error });
            })
                .finally(() => running.delete(ended));
            running.add(ended);
        },
        stop: async () => {
            stopping.abort();
            await Promise.all(running);
        },
    };
}
