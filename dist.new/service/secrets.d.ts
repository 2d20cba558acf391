import { type ApiKeys } from '../auth/api-keys.ts';
export type Secrets = ApiKeys & {
    readonly jwtSecret: string;
    /** true if the data folder had none before */
    readonly fresh: boolean;
};
/**
 * The secret of the session tokens and the two keys made with it: from the data folder, made there on first use.
 * @param given JWT_SECRET, which stands before the folder's own
 */
export declare function openSecrets(folder: string, given: string | null): Promise<Secrets>;
/** The same without making any; null when the folder has none. */
export declare function readSecrets(folder: string, given: string | null): Promise<(ApiKeys & {
    readonly jwtSecret: string;
}) | null>;
