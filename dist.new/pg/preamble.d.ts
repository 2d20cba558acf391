import { type Statement } from '../sqltext/sql.ts';
import type { ScopedBatch } from './scoped-batch.ts';
export type PreambleDefaults = {
    readonly searchPath: string;
    /** 0 switches the limit off */
    readonly statementTimeoutMs: (role: string) => number;
};
/**
 * The statement that says who asks, in front of every batch. All settings are local to the transaction and every one is set
 * every time: one that was local once reads as '' afterwards, and another caller must not find a predecessor's.
 *
 * The role is set here and not inside the main statement, since row security is decided when a statement is planned.
 * The schema version is compared inline: the raising function is called only when it differs.
 */
export declare function preamble(batch: ScopedBatch, defaults: PreambleDefaults): Statement;
