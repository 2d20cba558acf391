import type { Config } from '../config/options.ts';
import type { Observe } from '../observe/observation.ts';
import { type PgPool } from '../pg/pool.ts';
import type { RunScoped, ScopedBatch } from '../pg/scoped-batch.ts';
import type { LoginUrls } from './ensure-logins.ts';
/** The two pools behind one door: which login a batch runs on follows from its role, and never from anything a caller sends. */
export type Connections = {
    readonly asCaller: RunScoped;
    readonly asService: (batch: Omit<ScopedBatch, 'as'>, signal: AbortSignal) => ReturnType<RunScoped>;
    /** as the service's login itself */
    readonly query: PgPool['query'];
    /** whether the database answers within `limitMs` */
    readonly isAlive: (limitMs: number) => Promise<boolean>;
    readonly end: () => Promise<void>;
};
export declare function openConnections(config: Config, urls: LoginUrls, observe: Observe): Connections;
