import type { FieldType } from '../schema/field-type.ts';
import type { Encoding } from './plan.ts';
/** How values of a type are written as JSON: 64-bit integers and numerics as strings, json as a string that holds it. */
export declare function encodingOf(type: FieldType): Encoding;
