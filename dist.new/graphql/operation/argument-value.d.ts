import type { ConstValueNode, ValueNode } from 'graphql';
import { type Json } from './json.ts';
import type { Value } from './value.ts';
/**
 * A literal as a {@link Value}, variables put in wherever they stand. Of a key given twice the last counts.
 * @throws GraphqlError when a string in it is one PostgreSQL cannot hold
 */
export declare function argumentValue(node: ValueNode, variable: (name: string) => Value): Value;
/** The declared default of a variable, in the form in which the variable itself would come. */
export declare function constantJson(node: ConstValueNode): Json;
