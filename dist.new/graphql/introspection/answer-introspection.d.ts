import type { GraphqlLimits } from '../operation/limits.ts';
import type { Operation, SelectedField } from '../operation/operation.ts';
import type { IntrospectedTypes } from '../schema/type-system.ts';
/**
 * The value of a root field `__schema` or `__type`, as JSON text with keys in the order of the selection.
 *
 * pg_graphql's conventions: `interfaces` and `enumValues` are never null, nothing is deprecated, arguments are not checked, and
 * `__typename` is the name of what is described. It knows neither `specifiedByURL` nor `isOneOf`: `__type` refuses them as it
 * does; `__schema` answers them, since tools ask for them in the introspection they build a client's schema from.
 * @throws GraphqlError `data: 'null'`
 */
export declare function answerIntrospection(types: IntrospectedTypes, operation: Operation, field: SelectedField, limits: GraphqlLimits): string;
