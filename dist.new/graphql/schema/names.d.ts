/** Names of the GraphQL schema: pg_graphql's rules. There is no pluralisation anywhere. */
/** GraphQL specification 2.1.9, checked after inflection. */
export declare const isValidName: (name: string) => boolean;
/**
 * A type's name: an override as it is; with inflection every letter after something not alphanumeric in upper case and underscores
 * gone (`blog_post` -> `BlogPost`); else the SQL name.
 */
export declare function baseName(sqlName: string, override: string | null, inflect: boolean): string;
export declare const lowerFirst: (name: string) => string;
export declare const columnFieldName: (sqlName: string, override: string | null, inflect: boolean) => string;
/** Root and computed functions: one leading underscore goes, and the first letter is small with inflection off, too. */
export declare const functionFieldName: (sqlName: string, override: string | null, inflect: boolean) => string;
/** A to-one field over one key column: `owner_id` -> `owner`, without inflection `ownerId` -> `owner`; null: name it after the table. */
export declare function toOneName(columns: readonly string[], inflect: boolean): string | null;
