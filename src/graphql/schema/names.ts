/** Names of the GraphQL schema: pg_graphql's rules. There is no pluralisation anywhere. */

const VALID = /^[_A-Za-z][_A-Za-z0-9]*$/

/** GraphQL specification 2.1.9, checked after inflection. */
export const isValidName = (name: string): boolean => VALID.test(name)

/** GraphQL specification 3.9: the words of booleans and of null cannot name a value. */
export const isValidEnumValue = (name: string): boolean => isValidName(name) && !['true', 'false', 'null'].includes(name)

/**
 * A type's name: an override as it is; with inflection every letter after something not alphanumeric in upper case and underscores
 * gone (`blog_post` -> `BlogPost`); else the SQL name.
 */
export function baseName(sqlName: string, override: string | null, inflect: boolean): string {
  if (override !== null) return override
  if (!inflect) return sqlName
  let name = ''
  let boundary = true
  for (const character of sqlName) {
    name += boundary ? character.toUpperCase() : character
    boundary = !/[\p{Alphabetic}\p{N}]/u.test(character)
  }
  return name.replaceAll('_', '')
}

export const lowerFirst = (name: string): string => {
  const [first = ''] = name
  return first.toLowerCase() + name.slice(first.length)
}

export const columnFieldName = (sqlName: string, override: string | null, inflect: boolean): string =>
  override ?? (inflect ? lowerFirst(baseName(sqlName, null, true)) : sqlName)

/** Root and computed functions: one leading underscore goes, and the first letter is small with inflection off, too. */
export const functionFieldName = (sqlName: string, override: string | null, inflect: boolean): string =>
  override ?? lowerFirst(baseName(sqlName.startsWith('_') ? sqlName.slice(1) : sqlName, null, inflect))

/** A to-one field over one key column: `owner_id` -> `owner`, without inflection `ownerId` -> `owner`; null: name it after the table. */
export function toOneName(columns: readonly string[], inflect: boolean): string | null {
  const [column] = columns
  if (columns.length !== 1 || column === undefined) return null
  const suffix = inflect ? '_id' : 'Id'
  if (!column.endsWith(suffix)) return null
  return lowerFirst(baseName(column.slice(0, -suffix.length), null, inflect))
}
