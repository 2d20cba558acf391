import { type Sql } from '../../sqltext/sql.ts';
import type { FunctionSource, Source } from '../plan/plan.ts';
import type { Row } from './row.ts';
/** What stands in `from`. `around`: the row that a function is called with. */
export declare function compileSource(source: Source, around: Row | null): Sql;
/** Named notation, PostgreSQL manual 4.3.2: whatever is left out takes its default. */
export declare const compileCall: ({ fn, args }: FunctionSource) => Sql;
