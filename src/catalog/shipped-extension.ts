import { readdir, readFile } from 'node:fs/promises'

/** The extension stowage_graphql as this package brings it. */
export type ShippedExtension = {
  readonly defaultVersion: string
  readonly comment: string
  /** oldest first */
  readonly versions: readonly string[]
}

const FOLDER = new URL('../../extension/', import.meta.url)

export async function shippedExtension(): Promise<ShippedExtension> {
  const [control, files] = await Promise.all([readFile(new URL('stowage_graphql.control', FOLDER), 'utf8'), readdir(FOLDER)])
  const entry = (name: string) => new RegExp(`^${name} = '(.*)'$`, 'm').exec(control)?.[1] ?? ''
  return {
    defaultVersion: entry('default_version'),
    comment: entry('comment'),
    versions: files.flatMap((file) => /^stowage_graphql--(\d+\.\d+\.\d+)\.sql$/.exec(file)?.[1] ?? []).sort(byNumbers),
  }
}

/** The SQL of one of its versions. @throws Error naming the versions there are */
export async function extensionScript(version: string): Promise<string> {
  const { versions } = await shippedExtension()
  if (!versions.includes(version)) throw new Error(`stowage_graphql has no version ${JSON.stringify(version)}, but ${versions.join(', ')}`)
  return readFile(new URL(`stowage_graphql--${version}.sql`, FOLDER), 'utf8')
}

const byNumbers = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true })
