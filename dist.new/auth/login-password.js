import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
/** The password of one of our database logins: every process that knows the secret knows it, and nothing has to be stored. */
export const loginPassword = (secret, login) => createHmac('sha256', secret).update(`stowage login ${login}`).digest('hex');
/**
 * What PostgreSQL stores for a password (RFC 5803, RFC 5802 section 3). Made here, the password itself is in no statement
 * and in no server's log.
 */
export function scramVerifier(password) {
    const iterations = 4096;
    const salt = randomBytes(16);
    const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
    const hmac = (text) => createHmac('sha256', salted).update(text).digest();
    return [
        'SCRAM-SHA-256$',
        `${iterations}:${salt.toString('base64')}$`,
        `${sha256(hmac('Client Key'))}:${hmac('Server Key').toString('base64')}`,
    ].join('');
}
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('base64');
