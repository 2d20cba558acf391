import { type Sql } from '../../sqltext/sql.ts';
import type { CollectionPlan } from '../plan/plan.ts';
import type { Compilation } from './compilation.ts';
import { type Row } from './row.ts';
/**
 * A connection as one JSON text: the page is read, cut and ordered in a subselect; around it the rows are made to JSON in the order
 * of arrival. What nobody selected is not in the SQL: no count, no extra row, no cursors.
 */
export declare function compileCollection(plan: CollectionPlan, outer: Row | null, compilation: Compilation): Sql;
