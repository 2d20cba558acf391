import type { RoleContext } from '../auth/role-context.ts';
import type { CatalogCache } from '../catalog/cache.ts';
import type { Catalog } from '../catalog/model.ts';
import { type RunScoped } from '../pg/scoped-batch.ts';
import { type GraphqlRequest } from './operation/operation.ts';
import { type PrepareDeps } from './prepare.ts';
import type { RoleSchema } from './schema/role-schema.ts';
export type ResolveDeps = PrepareDeps & {
    readonly catalog: CatalogCache;
    readonly schemaOf: (catalog: Catalog, role: RoleContext['role']) => RoleSchema;
    readonly run: RunScoped;
    readonly searchPath: string;
};
/** `requestError`: nothing was executed, the document or its variables are at fault (GraphQL over HTTP answers that with 400). */
export type Resolved = {
    readonly text: string;
    readonly requestError: boolean;
};
/**
 * One GraphQL request -> response body, in one round trip. The preamble refuses the batch when the schema has moved on since the
 * plan was made; then nothing has run, and the request is planned again against a newer catalog.
 * @throws PgUnavailable, PgCancelled, ServiceError when there is nothing GraphQL could answer
 */
export declare function resolve(deps: ResolveDeps, as: RoleContext, request: GraphqlRequest, signal: AbortSignal): Promise<Resolved>;
export declare const directiveMessage: (detail: string) => string;
