import type { Config } from '../config/options.ts';
import { StartupError } from '../config/startup-error.ts';
import type { Observe } from '../observe/observation.ts';
import type { Database } from './open-database.ts';
export type OwnDatabase = Database & {
    readonly stop: () => Promise<void>;
};
/**
 * The built-in PostgreSQL, started again when it ends by itself; requests meanwhile are turned away.
 * @param onLost called when it cannot be kept running
 */
export declare function openOwnDatabase(deps: {
    readonly config: Config;
    readonly dataFolder: string;
    readonly observe: Observe;
    readonly onLine: (line: string) => void;
    readonly onLost: (error: StartupError) => void;
}): Promise<OwnDatabase>;
