import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { decodeGrants, type GrantsText, NO_GRANTS } from '../catalog/decode-grants.ts'
import type { Catalog } from '../catalog/model.ts'
import type { RoleName } from '../std/brand.ts'
import { inTurns, type Turns } from '../std/in-turns.ts'
import { invariant } from '../std/invariant.ts'
import { together } from '../std/together.ts'
import { reflectSchema } from './schema/reflect-schema.ts'
import type { RoleSchema } from './schema/role-schema.ts'

/** What a role sees of a catalog; at once, if that is known. */
export type RoleSchemas = (catalog: Catalog, role: RoleName) => RoleSchema | Promise<RoleSchema>

export type RoleSchemasOptions = {
  /** @throws StaleCatalog when the schema is another one than the catalog's by now */
  readonly readGrants: (catalog: Catalog, roles: readonly RoleName[]) => Promise<ReadonlyMap<RoleName, GrantsText>>
  readonly turns: Turns
}

/** Relations of all schemas together that are kept; each takes 1 KB or two. */
const MOST_RELATIONS = 100_000
/** What a schema weighs beside its relations. */
const LEAST_WEIGHT = 20
/** Roles times relations that are asked about in one statement: half a second. */
const MOST_PAIRS = 100_000

/**
 * {@link reflectSchema} for roles as they ask, so that a thousand of them cost nothing before. Roles that may do the same have one schema,
 * and with it its plans. A catalog that is no longer used takes its schemas with it.
 */
export function createRoleSchemas({ readGrants, turns }: RoleSchemasOptions): RoleSchemas {
  const known = new WeakMap<Catalog, Kept>()
  return (catalog, role) => {
    const kept = known.get(catalog) ?? keep(catalog)
    return kept.find(role) ?? kept.read(role)
  }

  function keep(catalog: Catalog): Kept {
    const digests = new Map<RoleName, string>()
    const schemas = new LRUCache<string, RoleSchema>({
      maxSize: MOST_RELATIONS,
      sizeCalculation: ({ entities }) => Math.min(MOST_RELATIONS, LEAST_WEIGHT + entities.size),
    })
    const schemaOf = async (text: GrantsText, digest: string): Promise<RoleSchema> => {
      const found = schemas.get(digest)
      if (found) return found
      const schema = reflectSchema(catalog, await inTurns(decodeGrants(text), turns))
      schemas.set(digest, schema)
      return schema
    }
    const readAll = async (roles: readonly RoleName[]): Promise<ReadonlyMap<RoleName, RoleSchema>> => {
      const texts = await readGrants(catalog, roles)
      const found = new Map<RoleName, RoleSchema>()
      for (const role of roles) {
        const text = texts.get(role) ?? NO_GRANTS
        const digest = createHash('sha256').update(text).digest('base64')
        // one that is not there may come, which changes no schema
        if (texts.has(role)) digests.set(role, digest)
        found.set(role, await schemaOf(text, digest))
      }
      return found
    }
    const read = together(readAll, Math.max(1, Math.floor(MOST_PAIRS / (catalog.relations.size + 1))))
    const kept: Kept = {
      find: (role) => {
        const digest = digests.get(role)
        return digest === undefined ? undefined : schemas.get(digest)
      },
      read: async (role) => {
        const schema = await read(role)
        invariant(schema, 'every role that is asked about is answered')
        return schema
      },
    }
    known.set(catalog, kept)
    return kept
  }
}

type Kept = { readonly find: (role: RoleName) => RoleSchema | undefined; readonly read: (role: RoleName) => Promise<RoleSchema> }
