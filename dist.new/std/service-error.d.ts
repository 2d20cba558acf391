/**
 * An error the caller is meant to see.
 *
 * `status` is the true HTTP status; faces may fold it (`http/wire`). `code` is stable and listed in docs/errors.md.
 * `cause` keeps the driver's error for the log and never reaches the caller.
 */
export declare class ServiceError extends Error {
    readonly name = "ServiceError";
    readonly code: string;
    readonly status: number;
    constructor(code: string, status: number, message: string, options?: ErrorOptions);
}
