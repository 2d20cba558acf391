/** A terminal's Ctrl-C reaches a process twice when npm stands between: once from the terminal, once from npm. */
const ECHO_MS = 500;
/**
 * Resolves on the first SIGINT or SIGTERM. A second one, later than an echo of the first, ends the process at once.
 * SIGHUP counts too: a closed terminal must not leave a service that nobody sees.
 */
export function untilToldToStop() {
    return new Promise((resolve) => {
        let firstAt = null;
        const told = (signal) => {
            if (firstAt === null) {
                firstAt = performance.now();
                resolve(signal);
            }
            else if (performance.now() - firstAt > ECHO_MS)
                process.exit(1);
        };
        for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
            process.on(signal, told);
    });
}
