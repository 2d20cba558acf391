import { ServiceError } from '../std/service-error.ts'

/** What is said where the extension stowage_graphql is not there. */
export const extensionMissing = (cause: unknown): ServiceError =>
  new ServiceError(
    'ExtensionMissing',
    503,
    'The extension stowage_graphql is not installed in this database. Run "create extension stowage_graphql" or "stowage extension install".',
    { cause },
  )
