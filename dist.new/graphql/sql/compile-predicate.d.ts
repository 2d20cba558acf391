import type { Column } from '../../catalog/model.ts';
import { type Sql } from '../../sqltext/sql.ts';
import type { BoundParam, Predicate } from '../plan/plan.ts';
/** A predicate over the columns of one row. */
export declare function compilePredicate(predicate: Predicate, column: (column: Column) => Sql): Sql;
/** A bound value as the column's declared type, modifier included. */
export declare const typed: (operand: BoundParam, column: Column) => Sql;
export declare const conjunction: (terms: readonly Sql[]) => Sql;
export declare const disjunction: (terms: readonly Sql[]) => Sql;
