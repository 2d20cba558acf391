import type { FieldType } from '../schema/field-type.ts'
import type { Encoding } from './plan.ts'

/** How values of a type are written as JSON: 64-bit integers and numerics as strings, json as a string that holds it. */
export function encodingOf(type: FieldType): Encoding {
  if (type.kind === 'list') {
    // elements of enum lists keep their SQL labels, as with pg_graphql
    return type.of.name === 'BigInt' || type.of.name === 'BigFloat' || type.of.name === 'JSON' ? { kind: 'texts' } : { kind: 'json' }
  }
  if (type.kind === 'enum') return isMapped(type.values) ? { kind: 'enum', values: type.values } : { kind: 'json' }
  switch (type.name) {
    case 'Int':
    case 'Boolean':
      return { kind: 'bare' }
    case 'BigInt':
    case 'BigFloat':
    case 'UUID':
      return { kind: 'quoted' }
    case 'JSON':
      return { kind: 'text' }
    default:
      return { kind: 'json' }
  }
}

const isMapped = (values: readonly { readonly label: string; readonly name: string }[]): boolean =>
  values.some(({ label, name }) => label !== name)
