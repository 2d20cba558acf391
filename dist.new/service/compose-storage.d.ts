import { type Authenticate } from '../auth/authenticate.ts';
import type { Config } from '../config/options.ts';
import type { StorageRouteDeps } from '../http/storage/route-deps.ts';
import type { Observe } from '../observe/observation.ts';
import type { SweepOptions } from '../storage/sweep/sweep-options.ts';
import { type Sweeper } from '../storage/sweep/sweeper.ts';
import type { Connections } from './connections.ts';
export type StorageFace = {
    readonly routes: StorageRouteDeps;
    readonly sweeper: Sweeper;
    /** ends what goes on behind answers, then closes the store */
    readonly stop: () => Promise<void>;
};
export declare const sweepOptions: (config: Config) => SweepOptions;
/**
 * The storage face: bytes in files below the data folder, rows over the pools.
 * @throws StartupError when the stored files are not those of the database
 */
export declare function composeStorage(deps: {
    readonly config: Config;
    readonly dataFolder: string;
    readonly jwtSecret: string;
    readonly connections: Connections;
    readonly authenticate: Authenticate;
    readonly observe: Observe;
}): Promise<StorageFace>;
