import { type KeyObject } from 'node:crypto';
import type { JWSHeaderParameters } from 'jose';
/** The keys that session tokens may be signed with, each bound to its algorithms: a token never chooses how it is verified. */
export type SessionKeys = {
    /** what any of the keys could verify; {@link SessionKeys.keyFor} then holds each to its own */
    readonly algorithms: readonly string[];
    /** @throws ServiceError when no key fits */
    readonly keyFor: (header: JWSHeaderParameters) => KeyObject;
};
/** A key set that cannot be used, in words for the operator. */
export declare class BadKeySet extends Error {
    readonly name = "BadKeySet";
}
/**
 * @param secret of HS256 tokens without a key name, or with one that is in no set
 * @param jwks key set as JSON (RFC 7517), or null
 * @throws BadKeySet
 */
export declare function sessionKeys(secret: string, jwks: string | null): SessionKeys;
