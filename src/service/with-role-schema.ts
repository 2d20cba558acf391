import { reflectForRole } from '../catalog/reflect.ts'
import { StartupError } from '../config/startup-error.ts'
import { directiveMessage } from '../graphql/resolve.ts'
import { reflectSchema } from '../graphql/schema/reflect-schema.ts'
import type { RoleSchema } from '../graphql/schema/role-schema.ts'
import { isMissingObject } from '../pg/pg-error.ts'
import { createPgPool, type PgPool } from '../pg/pool.ts'
import { milliseconds, roleName } from '../std/brand.ts'
import { graphqlSearchPath } from './graphql-search-path.ts'
import { connect, type Database } from './open-database.ts'

export type RoleSchemaOptions = {
  readonly role: string
  /** in the order of a search path */
  readonly schemas: readonly string[]
  /** 0 for no limit */
  readonly statementTimeoutMs: number
}

const WAIT = milliseconds(10_000)
const GRACE = milliseconds(5_000)

/**
 * Hands `work` what a role sees of the database over GraphQL, and a connection of the owner's that can take on the role.
 * @throws StartupError
 */
export async function withRoleSchema<T>(
  database: Database,
  { role, schemas, statementTimeoutMs }: RoleSchemaOptions,
  onLine: (line: string) => void,
  work: (schema: RoleSchema, pool: PgPool) => Promise<T>,
): Promise<T> {
  // tells in words what can be wrong with an address or a server
  await (await connect(database, onLine)).end()
  const pool = createPgPool({
    url: database.ownerUrl,
    applicationName: 'stowage command',
    maxConnections: 1,
    maxWaiting: 1,
    waitMs: WAIT,
    graceMs: GRACE,
    mostPrepared: 0,
    searchPath: graphqlSearchPath(schemas),
    statementTimeoutMs: () => statementTimeoutMs,
  })
  try {
    const { catalog, grants } = await reflect(pool, schemas, role)
    const missing = schemas.filter((name) => !catalog.schemas.some((schema) => schema.name === name))
    if (missing.length > 0) throw new StartupError(`The database has no schema ${missing.map((name) => JSON.stringify(name)).join(', ')}.`)
    if (catalog.directiveError !== null) throw new StartupError(directiveMessage(catalog.directiveError))
    return await work(reflectSchema(catalog, grants), pool)
  } finally {
    await pool.end()
  }
}

async function reflect(pool: PgPool, schemas: readonly string[], role: string) {
  const { catalog, grants } = await reflectForRole(pool.query, schemas, roleName(role)).catch((error) => {
    throw isMissingObject(error)
      ? new StartupError('The extension stowage_graphql is not installed: run "stowage extension install".')
      : error
  })
  if (grants === null) throw new StartupError(`The database has no role ${JSON.stringify(role)}.`)
  return { catalog, grants }
}
