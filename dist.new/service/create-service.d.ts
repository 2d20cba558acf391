import type { LoadedConfig } from '../config/load-config.ts';
import type { StartupError } from '../config/startup-error.ts';
import type { Log } from '../observe/log.ts';
import { type Secrets } from './secrets.ts';
export type Service = {
    readonly baseUrl: string;
    /** the owner's connection string */
    readonly databaseUrl: string;
    readonly secrets: Secrets;
    /** finishes running requests within the limit, then lets go of everything; a second call waits for the first */
    readonly stop: () => Promise<void>;
};
export type ServiceOptions = {
    readonly loaded: LoadedConfig;
    readonly log: Log;
    /** told what is being done, for a person who waits */
    readonly onLine: (line: string) => void;
    /** the service cannot go on; whoever started it should stop it and leave */
    readonly onLost: (error: StartupError) => void;
};
/**
 * Starts a service: folder, lock, secrets, database, then the HTTP server. When it resolves, requests are answered.
 * What was started is stopped in reverse order, also when a later step fails.
 *
 * @throws StartupError
 */
export declare function createService({ loaded, log, onLine, onLost }: ServiceOptions): Promise<Service>;
