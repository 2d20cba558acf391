import { type RoleName } from '../std/brand.ts';
import type { RoleContext } from './role-context.ts';
import type { SessionKeys } from './session-keys.ts';
export type AuthenticateOptions = {
    readonly keys: SessionKeys;
    /** roles a token may name beside the three of the API */
    readonly extraRoles: readonly string[];
    readonly now: () => Date;
};
/** @throws ServiceError InvalidToken, UnknownRole */
export type Authenticate = (token: string) => Promise<RoleContext>;
export declare const ANON: RoleName;
export declare const AUTHENTICATED: RoleName;
export declare const SERVICE_ROLE: RoleName;
/** Nobody in particular: a request without a token where one is not needed. */
export declare const ANONYMOUS: RoleContext;
/** Our own work, beyond row security. */
export declare const AS_SERVICE: RoleContext;
/**
 * Turns a session token into who asks. Verified tokens are remembered by their whole text until they expire,
 * so that a request pays for a look-up; refused ones are not remembered.
 *
 * A token without `role` is anon, without `exp` does not end; `aud` and `iss` are the issuer's affair (as in Supabase).
 */
export declare function createAuthenticate({ keys, extraRoles, now }: AuthenticateOptions): Authenticate;
