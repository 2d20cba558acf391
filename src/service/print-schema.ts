import { printSdl } from '../graphql/introspection/print-sdl.ts'
import { wholeTypeSystemOf } from '../graphql/schema/type-system-of.ts'
import type { Database } from './open-database.ts'
import { type RoleSchemaOptions, withRoleSchema } from './with-role-schema.ts'

/**
 * All that a role can ask for over GraphQL, in the schema definition language, whether introspection is switched on or not.
 * @throws StartupError
 */
export const printSchema = (database: Database, options: RoleSchemaOptions, onLine: (line: string) => void): Promise<string> =>
  withRoleSchema(database, options, onLine, async (schema) => printSdl(wholeTypeSystemOf(schema)))
