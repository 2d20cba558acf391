import { ServiceError } from '../std/service-error.ts';
/** The caller's token is not accepted. The words are those of the JWT library, which clients know and compare with. */
export declare const invalidToken: (message: string, cause?: unknown) => ServiceError;
/** The token is genuine, and names a database role that is not on the list. */
export declare const unknownRole: () => ServiceError;
/** A signed address that is not one of ours, or not any more. */
export declare const invalidUrlToken: (message: string, cause?: unknown) => ServiceError;
/** A genuine token that was not made for an address. */
export declare const notAnAddress: () => ServiceError;
/** What the library says about a token; null if it is not about the token but our own fault. */
export declare function wordsOfJose(error: unknown): string | null;
