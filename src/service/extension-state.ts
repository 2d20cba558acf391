import { shippedExtension } from '../catalog/shipped-extension.ts'
import type { OwnerClient } from '../pg/owner-connection.ts'

/** The row of `pg_available_extensions`, also where stowage_graphql is installed without the server's extension files. */
export type ExtensionState = {
  readonly name: 'stowage_graphql'
  /** the server's, or this package's where the server lists none */
  readonly default_version: string
  readonly installed_version: string | null
  readonly comment: string
  readonly without_files: boolean
  /** versions the server has files of */
  readonly offered: readonly string[]
}

type Found = {
  readonly default_version: string | null
  readonly installed_version: string | null
  readonly comment: string | null
  readonly offered: readonly string[]
  readonly present: boolean
}

export async function extensionState(client: OwnerClient): Promise<ExtensionState> {
  const shipped = await shippedExtension()
  const { rows } = await client.query(`/* extension.state */
    select
      a.default_version,
      e.extversion as installed_version,
      a.comment,
      coalesce((select json_agg(v.version) from pg_catalog.pg_available_extension_versions v where v.name = n.name), '[]'::json) as offered,
      to_regclass('stowage_graphql.schema_version') is not null as present
    from (values ('stowage_graphql'::name)) n (name)
    left join pg_catalog.pg_available_extensions a on a.name = n.name
    left join pg_catalog.pg_extension e on e.extname = n.name`)
  const [found] = rows as Found[]
  const without = found?.present === true && found.installed_version === null
  const comment = found?.comment ?? shipped.comment
  return {
    name: 'stowage_graphql',
    default_version: found?.default_version ?? shipped.defaultVersion,
    installed_version: without ? await versionWithoutFiles(client) : (found?.installed_version ?? null),
    comment: without ? `${comment} (installed without files)` : comment,
    without_files: without,
    offered: found?.offered ?? [],
  }
}

async function versionWithoutFiles(client: OwnerClient): Promise<string | null> {
  const { rows } = await client.query('/* extension.version */ select stowage_graphql.installed_version() as version')
  return (rows as { version: string }[])[0]?.version ?? null
}
