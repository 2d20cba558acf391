import { type Config } from './options.ts';
export type LoadedConfig = {
    readonly config: Config;
    /** what works but is unwise */
    readonly warnings: readonly string[];
    /** names of the options that were set */
    readonly given: ReadonlySet<keyof Config>;
};
export type Environment = Readonly<Record<string, string | undefined>>;
/**
 * The configuration from the environment. An empty variable counts as absent.
 * @throws StartupError with every problem, one a line
 */
export declare function loadConfig(environment?: Environment): LoadedConfig;
