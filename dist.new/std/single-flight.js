/** One call at a time per key: callers that come while it runs share its outcome. */
export function singleFlight(work) {
    const running = new Map();
    return (key) => {
        const started = running.get(key);
        if (started)
            return started;
        const flight = work(key).finally(() => running.delete(key));
        running.set(key, flight);
        return flight;
    };
}
