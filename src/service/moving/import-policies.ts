import type { OwnerConnection } from '../../pg/owner-connection.ts'
import { openPeerDatabase, type Policy } from './peer-database.ts'

export type PolicyReport = {
  readonly created: readonly string[]
  /** there already, and the same */
  readonly present: readonly string[]
  readonly failed: readonly { readonly policy: string; readonly why: string }[]
}

/** Each on its own: one that names a role or a function that is not here does not keep the others away. */
export async function importPolicies(policies: readonly Policy[], owner: OwnerConnection): Promise<PolicyReport> {
  const here = new Map((await (await openPeerDatabase(owner)).policies()).map((policy) => [nameOf(policy), policy.text]))
  const created: string[] = []
  const present: string[] = []
  const failed: { policy: string; why: string }[] = []
  for (const policy of policies) {
    const name = nameOf(policy)
    const had = here.get(name)
    if (had === policy.text) present.push(name)
    else if (had !== undefined) failed.push({ policy: name, why: `another one has its name here: ${had}` })
    else
      await owner.query(`/* moving.create_policy */ ${policy.text}`).then(
        () => created.push(name),
        (error) => failed.push({ policy: name, why: `${error instanceof Error ? error.message : String(error)}: ${policy.text}` }),
      )
  }
  return { created, present, failed }
}

const nameOf = ({ table, name }: Policy): string => `${name} on storage.${table}`
