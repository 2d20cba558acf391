import { type Sql } from '../../sqltext/sql.ts';
import type { Encoding } from '../plan/plan.ts';
import type { JsonText } from './json-text.ts';
/** A value as JSON text, `null` for SQL's null. */
export declare function encode(value: Sql, encoding: Encoding, nullable: boolean): JsonText;
