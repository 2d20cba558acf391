/**
 * Resolves on the first SIGINT or SIGTERM. A second one, later than an echo of the first, ends the process at once.
 * SIGHUP counts too: a closed terminal must not leave a service that nobody sees.
 */
export declare function untilToldToStop(): Promise<NodeJS.Signals>;
