import { type Sql } from '../../sqltext/sql.ts';
import type { DeletePlan, InsertPlan, UpdatePlan } from '../plan/plan.ts';
import type { Compilation } from './compilation.ts';
/**
 * One statement per root: it must see its own writes, and of two changes to one row in one statement PostgreSQL loses one.
 * Relations in what is returned are read as they were before the statement, as with pg_graphql.
 */
export declare function compileInsert(plan: InsertPlan, compilation: Compilation): Sql;
export declare function compileUpdate(plan: UpdatePlan, compilation: Compilation): Sql;
export declare function compileDelete(plan: DeletePlan, compilation: Compilation): Sql;
