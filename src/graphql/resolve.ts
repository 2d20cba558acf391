import type { RoleContext } from '../auth/role-context.ts'
import type { CatalogCache } from '../catalog/cache.ts'
import type { Catalog } from '../catalog/model.ts'
import { StaleCatalog } from '../catalog/stale-catalog.ts'
import { isMissingObject, PgError } from '../pg/pg-error.ts'
import { type RunForBytes, type ScopedBatch, STALE_CATALOG } from '../pg/scoped-batch.ts'
import type { Statement } from '../sqltext/sql.ts'
import { ServiceError } from '../std/service-error.ts'
import { GraphqlError, type GraphqlRequest } from './operation/operation.ts'
import type { Bound } from './plan-cache.ts'
import { type PrepareDeps, prepareRequest } from './prepare.ts'
import { type BodyText, type Rows, respond, respondDatabaseError, respondError } from './respond.ts'
import type { RoleSchemas } from './role-schemas.ts'

export type ResolveDeps = PrepareDeps & {
  readonly catalog: CatalogCache
  readonly schemaOf: RoleSchemas
  readonly run: RunForBytes
  readonly searchPath: string
}

/** `requestError`: nothing was executed, the document or its variables are at fault (GraphQL over HTTP answers that with 400). */
export type Resolved = { readonly text: BodyText; readonly requestError: boolean }

/** How often a request is compiled anew when the schema changes under it before it gives up. */
const MAX_ATTEMPTS = 20

/**
 * One GraphQL request -> response body, in one round trip. Each statement refuses when the schema has moved on since the plan was made,
 * before it has changed anything; then the request is planned again against a newer catalog.
 * @throws PgUnavailable, PgCancelled, ServiceError when there is nothing GraphQL could answer
 */
export async function resolve(deps: ResolveDeps, as: RoleContext, request: GraphqlRequest, signal: AbortSignal): Promise<Resolved> {
  const current = deps.catalog.current()
  // what is known is not waited for: most requests wait for PostgreSQL alone
  let catalog = current instanceof Promise ? await current : current
  for (let attempt = 1; ; attempt++) {
    try {
      return await resolveAgainst(deps, catalog, as, request, signal)
    } catch (error) {
      if (!isStale(error)) throw error
      if (attempt === MAX_ATTEMPTS) throw schemaChanging(error)
      catalog = await deps.catalog.after(catalog)
    }
  }
}

const schemaChanging = (cause: unknown): ServiceError =>
  new ServiceError('SchemaChanging', 503, 'The schema of the database is being changed faster than requests can follow. Try again.', {
    cause,
  })

const isStale = (error: unknown): boolean =>
  error instanceof StaleCatalog ||
  (error instanceof PgError && (error.sqlstate === STALE_CATALOG || (error.statement < 0 && isMissingObject(error))))

async function resolveAgainst(
  deps: ResolveDeps,
  catalog: Catalog,
  as: RoleContext,
  request: GraphqlRequest,
  signal: AbortSignal,
): Promise<Resolved> {
  // an answer that needs no statement (an unknown field, introspection) may still come from an old schema: ask for the version alone
  const confirmed = () => deps.run(batchOf(deps, catalog, as, 'read only', 'commit', []), signal)
  let prepared: Bound
  try {
    if (catalog.directiveError !== null) throw new GraphqlError(directiveMessage(catalog.directiveError), 'absent')
    const found = deps.schemaOf(catalog, as.role)
    const schema = found instanceof Promise ? await found : found
    const bound = prepareRequest(deps, schema, request)
    prepared = bound instanceof Promise ? await bound : bound
  } catch (error) {
    if (!(error instanceof GraphqlError)) throw error
    await confirmed()
    return { text: respondError(error), requestError: true }
  }
  const { kind, statements, parts, errors } = prepared
  const failed = kind === 'mutation' ? errors[0] : undefined
  if (statements.length === 0) {
    await confirmed()
    return {
      text: failed ? respondError(failed.error) : respond(parts, NO_ROWS, errors),
      requestError: errors.length > 0 && parts.length === 0,
    }
  }
  try {
    // steps before a refused one are tried and undone: if one of them fails, that is the error to tell
    const end = failed ? 'roll back' : 'commit'
    const rows = await deps.run(batchOf(deps, catalog, as, kind === 'query' ? 'read only' : 'read write', end, statements), signal)
    if (failed) return { text: respondError(failed.error), requestError: true }
    return { text: respond(parts, rows, errors), requestError: false }
  } catch (error) {
    if (!(error instanceof PgError) || isStale(error)) throw error
    // a schema that is another one may show before the statement has looked, as a name that is gone or a type that refuses: then plan again
    if (comesBeforeLook(error)) await confirmed()
    return { text: respondDatabaseError(error.message, error.sqlstate, parts, error.statement), requestError: false }
  }
}

const NO_ROWS: Rows = []
const NO_SETTINGS: ScopedBatch['settings'] = []

/** A copy that is a little behind may answer, but of the schema's version the primary alone knows the newest. */
const batchOf = (
  { searchPath }: ResolveDeps,
  { version }: Catalog,
  as: RoleContext,
  access: ScopedBatch['access'],
  end: ScopedBatch['end'],
  statements: readonly Statement[],
): ScopedBatch => ({
  as,
  access,
  end,
  settings: NO_SETTINGS,
  statements,
  catalogVersion: version,
  searchPath,
  mayLag: access === 'read only' && statements.length > 0,
})

/** Errors of reading a statement, its values and its plan (PostgreSQL manual, appendix A). */
const comesBeforeLook = ({ sqlstate }: PgError): boolean =>
  sqlstate.startsWith('42') || sqlstate.startsWith('22') || sqlstate === '3F000' || sqlstate === '0A000' || sqlstate === 'XX000'

export const directiveMessage = (detail: string): string => `Error while loading schema, check comment directives. ${detail}`
