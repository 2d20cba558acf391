import { SignJWT } from 'jose';
const LIFE_SECONDS = 10 * 365 * 86_400;
/** The two keys that applications are set up with: session tokens that name a role and nobody. Equal arguments give equal keys. */
export async function makeApiKeys(secret, issuedAt) {
    const seconds = Math.floor(issuedAt.getTime() / 1000);
    const make = (role) => new SignJWT({ role })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer('stowage')
        .setIssuedAt(seconds)
        .setExpirationTime(seconds + LIFE_SECONDS)
        .sign(new TextEncoder().encode(secret));
    const [anonKey, serviceKey] = await Promise.all([make('anon'), make('service_role')]);
    return { anonKey, serviceKey };
}
