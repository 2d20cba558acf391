import { extensionScript, shippedExtension } from './shipped-extension.ts'

/** The part of a pg client that is needed: one simple query, which may hold several statements. */
export type SimpleClient = { query(text: string): Promise<{ rows: readonly unknown[] }> }

/**
 * Puts stowage_graphql into a database whose server does not know its files (managed PostgreSQL): the same SQL, without
 * `create extension`. Does nothing where it is there already, by files or without, in whatever version. Needs the right to create
 * event triggers.
 *
 * @param version one that this package brings; without it the newest
 * @throws Error for a version that there is not
 */
export async function installExtension(client: SimpleClient, version?: string): Promise<void> {
  const script = await extensionScript(version ?? (await shippedExtension()).defaultVersion)
  const { rows } = await client.query(`select to_regclass('stowage_graphql.schema_version') is not null as installed`)
  if ((rows as { installed: boolean }[])[0]?.installed) return
  await client.query(`create schema if not exists stowage_graphql;\n${script}`)
}
