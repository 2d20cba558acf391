import type { Column } from '../../catalog/model.ts';
import type { PgText } from '../../sqltext/sql.ts';
import type { Value, ValueKind } from '../operation/value.ts';
import type { FieldType } from '../schema/field-type.ts';
import type { BoundParam } from './plan.ts';
import type { PlanContext } from './plan-context.ts';
/** Decides by what a value is: that decision holds for other requests only while the variable is of that kind. */
export declare function kindOf(context: PlanContext, value: Value): ValueKind;
export declare const isGiven: (context: PlanContext, value: Value | undefined) => value is Value;
/** The members of an input object that are not absent; other keys than `known` are refused by the caller. */
export declare function membersOf(context: PlanContext, value: Value & {
    readonly kind: 'object';
}): ReadonlyMap<string, Value>;
/** A list's items; one value stands for a list of one (GraphQL specification 3.11). */
export declare function itemsOf(context: PlanContext, value: Value): readonly Value[];
/** A value to bind; it is converted anew when it, or a part of it, comes from variables. */
export declare function bind(value: Value, convert: (value: Value) => PgText): BoundParam;
/** A value for a column, as text that casts to its declared type. */
export declare const bindForColumn: (value: Value, column: Column, type: FieldType) => BoundParam;
/** Input coercion: structure only, PostgreSQL reads the text. Null and absent are SQL's null. */
export declare function pgText(value: Value, type: FieldType, maxLength: number | null): PgText;
/** PostgreSQL manual 8.15.2: elements in quotes may hold anything. */
export declare const arrayText: (elements: readonly PgText[]) => string;
/** For what is not validated: opaque types and keys. */
export declare function anyText(value: Value): string;
export declare const isInt64: (text: string) => boolean;
