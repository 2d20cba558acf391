import type { Catalog, Grants, PgType } from '../../catalog/model.ts';
import { type TypeRef } from './type-system.ts';
export type ScalarName = 'Int' | 'Float' | 'String' | 'Boolean' | 'BigInt' | 'BigFloat' | 'Date' | 'Time' | 'Datetime' | 'UUID' | 'JSON' | 'Opaque';
/** What a PostgreSQL type is in GraphQL. */
export type FieldType = LeafType | {
    readonly kind: 'list';
    readonly of: LeafType;
    readonly pg: PgType;
};
export type LeafType = {
    readonly kind: 'scalar';
    readonly name: ScalarName;
    readonly pg: PgType;
} | {
    readonly kind: 'enum';
    readonly name: string;
    readonly values: readonly EnumValue[];
    readonly pg: PgType;
};
export type EnumValue = {
    readonly label: string;
    readonly name: string;
};
/**
 * pg_graphql's type map. `null`: the type has no place in the schema (composites, arrays of them, domains over arrays, and what
 * the role may not use).
 */
export declare function fieldType(catalog: Catalog, grants: Grants, type: PgType): FieldType | null;
export declare const typeRef: (type: FieldType) => TypeRef;
/** The name that coercion errors use. */
export declare const typeName: (type: LeafType) => string;
/** json and jsonb have no order and no filter. Opaque types are offered even where PostgreSQL cannot compare them: `is` works. */
export declare const isFilterable: (type: FieldType) => boolean;
export declare const isOrderable: (type: FieldType) => boolean;
