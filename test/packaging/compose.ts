import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'

const FILE = join(import.meta.dirname, '../../deploy/compose.yaml')

export type ComposeService = {
  readonly build?: string
  readonly image: string
  readonly restart?: string
  readonly entrypoint?: readonly string[]
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly tmpfs?: readonly string[]
  readonly ports?: readonly string[]
  readonly read_only?: boolean
  readonly stop_grace_period?: string
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>> | readonly string[]
}

export type Compose = {
  /** what is said in front of it, for people */
  readonly head: string
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes: Readonly<Record<string, null>>
}

export async function readCompose(): Promise<Compose> {
  const text = await readFile(FILE, 'utf8')
  const { services, volumes } = parse(text) as Omit<Compose, 'head'>
  return { head: text.slice(0, text.indexOf('\nname:')), services, volumes }
}

/** The variables that it takes from deploy/.env. */
export const variablesOf = ({ services }: Compose): ReadonlySet<string> =>
  new Set([...JSON.stringify(services).matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name = '']) => name))

/** A service's environment as its container gets it, on this machine: variables put in, and the names of other services taken for addresses. */
export function environmentOf(
  { environment = {} }: ComposeService,
  variables: Readonly<Record<string, string>>,
  addresses: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, fill(value, variables, addresses)]))
}

/** A text of it as its container gets it. */
export function fill(text: string, variables: Readonly<Record<string, string>>, addresses: Readonly<Record<string, string>>): string {
  const filled = text.replaceAll(/(?<!\$)\$\{(\w+):\?[^}]*\}/g, (_, name: string) => variables[name] ?? '').replaceAll('$$', '$')
  return Object.entries(addresses).reduce((changed, [name, address]) => changed.replaceAll(name, () => address), filled)
}
