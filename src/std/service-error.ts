/**
 * An error the caller is meant to see.
 *
 * `status` is the true HTTP status; faces may fold it (`http/wire`). `code` is stable and listed in docs/storage-api.md.
 * `cause` keeps the driver's error for the log and never reaches the caller.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: string
  readonly status: number

  constructor(code: string, status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.status = status
  }
}
