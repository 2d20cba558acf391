import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/options.ts';
import type { Log } from '../observe/log.ts';
import type { LoginUrls } from './ensure-logins.ts';
export type Composed = {
    readonly app: FastifyInstance;
    /** from now on the service says that it is ready, and sweeps */
    readonly begin: () => void;
    /** from now on it says that it is not */
    readonly withdraw: () => void;
    /** lets go of everything but the HTTP server */
    readonly end: () => Promise<void>;
};
/** Builds everything out of the configuration, and starts nothing. The only place that knows every part. */
export declare function compose(deps: {
    readonly config: Config;
    readonly dataFolder: string;
    readonly jwtSecret: string;
    readonly logins: LoginUrls;
    readonly log: Log;
}): Promise<Composed>;
