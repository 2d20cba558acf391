import { type Place } from '../errors.ts';
import type { SelectedField } from '../operation/operation.ts';
import type { Entity } from '../schema/role-schema.ts';
import type { NodePlan } from './plan.ts';
import type { PlanContext } from './plan-context.ts';
/** The fields of a row. `unknown` words the error for a field the type does not have, which differs by where the row stands. */
export declare function planNode(context: PlanContext, entity: Entity, selections: SelectedField['selections'], unknown?: (name: string, type: string, place: Place) => Error): NodePlan;
/** A row that must have a selection: pg_graphql sends SQL that fails when it has none. */
export declare function planSelectedNode(context: PlanContext, entity: Entity, field: SelectedField): NodePlan;
export declare function refuseArguments(selected: SelectedField, ...known: readonly string[]): void;
