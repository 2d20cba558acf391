/** The password of one of our database logins: every process that knows the secret knows it, and nothing has to be stored. */
export declare const loginPassword: (secret: string, login: string) => string;
/**
 * What PostgreSQL stores for a password (RFC 5803, RFC 5802 section 3). Made here, the password itself is in no statement
 * and in no server's log.
 */
export declare function scramVerifier(password: string): string;
