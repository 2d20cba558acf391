import type { GraphqlLimits } from '../operation/limits.ts';
import { GraphqlError, type Operation, type SelectedField } from '../operation/operation.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import type { RootPlan } from './plan.ts';
/** Roots in document order; of those that failed the message. A mutation stops at the first failure. */
export type Planned = {
    readonly kind: 'query' | 'mutation';
    readonly roots: readonly RootPlan[];
    readonly errors: readonly RootError[];
};
export type RootError = {
    readonly key: string;
    readonly error: GraphqlError;
};
/** Answers `__schema` and `__type` as JSON text. */
export type AnswerIntrospection = (field: SelectedField) => string;
/**
 * The role's schema and an operation -> what to do.
 * @throws GraphqlError when the root selections themselves cannot be read
 */
export declare function planOperation(schema: RoleSchema, operation: Operation, limits: GraphqlLimits, introspect: AnswerIntrospection): Planned;
