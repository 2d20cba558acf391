import { errors } from 'jose';
import { ServiceError } from '../std/service-error.js';
/** The caller's token is not accepted. The words are those of the JWT library, which clients know and compare with. */
export const invalidToken = (message, cause) => new ServiceError('InvalidToken', 401, message, { cause });
/** The token is genuine, and names a database role that is not on the list. */
export const unknownRole = () => new ServiceError('UnknownRole', 403, 'The role of the token is not allowed');
/** A signed address that is not one of ours, or not any more. */
export const invalidUrlToken = (message, cause) => new ServiceError('InvalidJWT', 400, message, { cause });
/** A genuine token that was not made for an address. */
export const notAnAddress = () => new ServiceError('InvalidSignature', 400, 'Invalid signature');
/** What the library says about a token; null if it is not about the token but our own fault. */
export function wordsOfJose(error) {
    if (error instanceof errors.JOSEError)
        return error.message;
    // the library's complaints about the form of a header or a claim are TypeErrors now and then
    return error instanceof TypeError ? 'Invalid Compact JWS' : null;
}
