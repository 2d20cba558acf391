import type { Seconds } from '../std/brand.ts';
import type { Authenticate } from './authenticate.ts';
/** What a signed address allows; `url` is `<bucket>/<key>`, decoded. */
export type UrlGrant = {
    readonly scope: 'download';
    readonly url: string;
} | {
    readonly scope: 'upload';
    readonly url: string;
    readonly upsert: boolean;
    readonly owner: string | null;
};
export type UrlTokens = {
    readonly sign: (grant: UrlGrant, life: Seconds) => Promise<string>;
    /** @throws ServiceError InvalidJWT with the library's words; InvalidSignature for a session token in an address's place */
    readonly verify: (token: string) => Promise<UrlGrant & {
        readonly expiresAt: Date;
    }>;
};
/**
 * Tokens of signed addresses. They have a key of their own, derived from the secret (HKDF, RFC 5869), and say what they are for:
 * neither can one be used as a session token, nor a session token as an address.
 */
export declare function createUrlTokens(options: {
    readonly secret: string;
    readonly authenticate: Authenticate;
    readonly now: () => Date;
}): UrlTokens;
