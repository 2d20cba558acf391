import type { RoleSchema } from './role-schema.ts';
import { type IntrospectedTypes } from './type-system.ts';
/** A role's schema as introspection shows it, built at the first question and kept as long as the schema. */
export declare function typeSystemOf(schema: RoleSchema): IntrospectedTypes;
