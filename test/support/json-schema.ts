export type JsonSchema = { readonly [keyword: string]: unknown }

/** Keywords that mean something to a reader and nothing to a value. */
const ANNOTATIONS = new Set(['description', 'default', 'title', 'format', 'examples', 'deprecated'])

/**
 * The faults of a value under a schema of JSON Schema 2020-12, each with its place; none: it fits. Knows the keywords that our
 * descriptions use and refuses others. `closed`: a member that the schema does not name is a fault, too.
 */
export function faultsOf(
  value: unknown,
  schema: JsonSchema,
  options: { readonly resolve?: (ref: string) => JsonSchema; readonly closed?: boolean } = {},
  at = '$',
): readonly string[] {
  const faults: string[] = []
  const fault = (what: string) => faults.push(`${at}: ${what}`)
  const check = (inner: unknown, innerSchema: unknown, where: string) => faultsOf(inner, innerSchema as JsonSchema, options, where)
  for (const [keyword, wanted] of Object.entries(schema)) {
    if (ANNOTATIONS.has(keyword)) continue
    switch (keyword) {
      case '$ref':
        if (!options.resolve) throw new Error('a reference, and nothing to look it up in')
        faults.push(...check(value, options.resolve(wanted as string), at))
        break
      case 'type': {
        const types = [wanted].flat() as string[]
        if (!types.some((type) => isOf(type, value))) fault(`is no ${types.join(' or ')}: ${JSON.stringify(value)}`)
        break
      }
      case 'const':
        if (JSON.stringify(value) !== JSON.stringify(wanted)) fault(`is not ${JSON.stringify(wanted)}`)
        break
      case 'enum':
        if (!(wanted as unknown[]).includes(value)) fault(`is none of ${JSON.stringify(wanted)}`)
        break
      case 'pattern':
        if (typeof value === 'string' && !new RegExp(wanted as string, 'u').test(value)) fault(`"${value}" does not match ${wanted}`)
        break
      case 'minimum':
        if (typeof value === 'number' && value < (wanted as number)) fault(`is below ${wanted}`)
        break
      case 'maximum':
        if (typeof value === 'number' && value > (wanted as number)) fault(`is above ${wanted}`)
        break
      case 'minItems':
        if (Array.isArray(value) && value.length < (wanted as number)) fault(`has fewer than ${wanted} items`)
        break
      case 'maxItems':
        if (Array.isArray(value) && value.length > (wanted as number)) fault(`has more than ${wanted} items`)
        break
      case 'items':
        if (Array.isArray(value)) faults.push(...value.flatMap((item, n) => check(item, wanted, `${at}[${n}]`)))
        break
      case 'required':
        if (isRecord(value)) for (const name of wanted as string[]) if (!Object.hasOwn(value, name)) fault(`has no ${name}`)
        break
      case 'properties': {
        if (!isRecord(value)) break
        const properties = wanted as Record<string, JsonSchema>
        for (const [name, member] of Object.entries(value)) {
          const known = properties[name]
          if (known) faults.push(...check(member, known, `${at}.${name}`))
          else if (options.closed) fault(`has an unknown member ${name}`)
        }
        break
      }
      case 'anyOf':
        if (!(wanted as JsonSchema[]).some((each) => check(value, each, at).length === 0)) fault('fits none of the alternatives')
        break
      case 'if':
        if (check(value, wanted, at).length === 0) faults.push(...check(value, schema.then ?? {}, at))
        break
      case 'then':
        break
      default:
        throw new Error(`the keyword ${keyword} is not known here`)
    }
  }
  return faults
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isRecord(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
    case 'string':
    case 'boolean':
      return typeof value === type
    default:
      throw new Error(`there is no type ${type}`)
  }
}
