import type { TypeSystem } from '../schema/type-system.ts';
/**
 * The schema as text in the schema definition language, everything sorted by name: what graphql-js 16 makes of it by
 * `printSchema(lexicographicSortSchema(buildClientSchema(…)))`. Unlike that it also prints schemas a client would refuse.
 * Without the standard scalars and the meta types; ends with a line break.
 */
export declare function printSdl(types: TypeSystem): string;
