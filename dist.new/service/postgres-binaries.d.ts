import { type ServerAccount } from './server-account.ts';
export type PostgresBinaries = {
    readonly postgres: string;
    readonly initdb: string;
    readonly major: string;
};
/**
 * The server programs out of the npm package for this machine, fit to be run by `account`.
 *
 * Installers that run no package scripts leave the package without its library links, and archives may lose the executable bits:
 * both are put right here, and nothing is written when nothing is missing, so a read-only installation works.
 * Where the account cannot reach the package (an installation below /root), the programs are copied to `copiesFolder` once a version.
 */
export declare function findPostgresBinaries(account: ServerAccount, copiesFolder: string): Promise<PostgresBinaries>;
