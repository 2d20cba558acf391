import type { PgText } from '../../sqltext/sql.ts';
import { type Json } from '../operation/json.ts';
/** An element of a cursor or nodeId (PostgreSQL's to_jsonb of a column) as text that casts back to the column's type. */
export declare function keyText(json: Json | undefined, isArray: boolean): PgText;
