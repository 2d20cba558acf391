/**
 * The HTTP status of a storage error as the peer sends it: 400 for nearly everything, with the true one in the body. Clients depend
 * on it (Kotlin's tell errors apart only under 400). The exceptions are those it answers truthfully.
 */
export declare function legacyStatus(status: number, code: string): number;
