/**
 * An error the caller is meant to see.
 *
 * `status` is the true HTTP status; faces may fold it (`http/wire`). `code` is stable and listed in docs/errors.md.
 * `cause` keeps the driver's error for the log and never reaches the caller.
 */
export class ServiceError extends Error {
    name = 'ServiceError';
    code;
    status;
    constructor(code, status, message, options) {
        super(message, options);
        this.code = code;
        this.status = status;
    }
}
