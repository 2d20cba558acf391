import type { PgType } from '../../catalog/model.ts';
import type { ColumnField, Entity } from './role-schema.ts';
export type AggregateFunction = 'sum' | 'avg' | 'min' | 'max';
/** Whether PostgreSQL's aggregate is offered for a type. */
export declare const isAggregated: (fn: AggregateFunction, type: PgType) => boolean;
export declare const aggregateColumns: (entity: Entity, fn: AggregateFunction) => readonly ColumnField[];
