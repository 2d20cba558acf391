import type { OwnerClient } from '../pg/owner-connection.ts';
export type ExtensionState = {
    readonly default_version: string | null;
    readonly installed_version: string | null;
    /** true if it came without the server's extension files */
    readonly without_files: boolean;
};
/** As `pg_available_extensions` shows it, with an installation without files beside. */
export declare function extensionState(client: OwnerClient): Promise<ExtensionState>;
/**
 * Installs stowage_graphql where it is missing: as an extension if the server lists it, else the same SQL without files.
 * What is there already stays, in whatever version: upgrading is the owner's decision. Without it storage works and GraphQL says what is missing.
 */
export declare function ensureExtension(client: OwnerClient, onLine: (line: string) => void): Promise<void>;
