import { type Bytes, type Milliseconds } from '../std/brand.ts';
import { type SettingType } from './setting-types.ts';
export type Option<T> = {
    /** the environment variable */
    readonly env: string;
    readonly type: SettingType<T>;
    readonly fallback: T;
    /** for the manual: what it does and when to change it */
    readonly sentence: string;
    /** `<env>_FILE` may name a file that holds it, and its value is never shown */
    readonly secret: boolean;
};
/** Every setting there is. The type of the configuration, its reader, the manual's page and `check-config` come from this table. */
export declare const OPTIONS: {
    readonly host: Option<string>;
    readonly port: Option<number>;
    readonly dataFolder: Option<string>;
    readonly databaseUrl: Option<string | null>;
    readonly embeddedPort: Option<number | null>;
    readonly jwtSecret: Option<string | null>;
    readonly jwks: Option<string | null>;
    readonly extraRoles: Option<readonly string[]>;
    readonly graphqlSchemas: Option<readonly string[]>;
    readonly uploadLimit: Option<Bytes>;
    readonly jsonLimit: Option<Bytes>;
    readonly storageStatus: Option<"legacy" | "real">;
    readonly uploadUrlLifetime: Option<Milliseconds>;
    readonly maxSignedUrlLifetime: Option<Milliseconds>;
    readonly corsOrigins: Option<readonly string[]>;
    readonly anonTimeout: Option<Milliseconds>;
    readonly authenticatedTimeout: Option<Milliseconds>;
    readonly serviceTimeout: Option<Milliseconds>;
    readonly webConnections: Option<number>;
    readonly serviceConnections: Option<number>;
    readonly poolWait: Option<Milliseconds>;
    readonly poolQueue: Option<number>;
    readonly preparedStatements: Option<boolean>;
    readonly sweepGrace: Option<Milliseconds>;
    readonly sweepInterval: Option<Milliseconds>;
    readonly drainLimit: Option<Milliseconds>;
    readonly headerTimeout: Option<Milliseconds>;
    readonly idleTimeout: Option<Milliseconds>;
    readonly maxConnections: Option<number>;
    readonly logLevel: Option<"debug" | "error" | "info" | "silent" | "warn">;
};
type ValueOf<O> = O extends Option<infer T> ? T : never;
export type Config = {
    readonly [Name in keyof typeof OPTIONS]: ValueOf<(typeof OPTIONS)[Name]>;
};
export type OptionValue = string | number | boolean | null | readonly string[] | Bytes | Milliseconds;
export {};
