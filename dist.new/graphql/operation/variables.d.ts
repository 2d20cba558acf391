import { type Json, type JsonObject } from './json.ts';
import type { Variables } from './operation.ts';
import type { Origin, Value } from './value.ts';
export declare const isJsonObject: (json: Json) => json is JsonObject;
export declare const isJsonList: (json: Json) => json is readonly Json[];
/**
 * The value at a place inside the variables: supplied, else declared default, else absent.
 * @throws GraphqlError when a string in it is one PostgreSQL cannot hold
 */
export declare function valueAt(variables: Variables, origin: Origin): Value;
/** What stands at a place inside the variables; undefined: nothing. */
export declare function jsonAt({ supplied, defaults }: Variables, { variable, path }: Origin): Json | undefined;
/**
 * A JSON value as a {@link Value}.
 * @throws GraphqlError for strings PostgreSQL cannot hold: with U+0000, or with half of a surrogate pair
 */
export declare function valueFrom(json: Json, origin: Origin): Value;
/** Text PostgreSQL can hold: neither U+0000 nor half of a surrogate pair, both of which JSON and GraphQL allow. */
export declare function storable(text: string): string;
