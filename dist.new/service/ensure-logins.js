import { setTimeout as sleep } from 'node:timers/promises';
import { loginPassword, scramVerifier } from '../auth/login-password.js';
import { reasonOf, StartupError } from '../config/startup-error.js';
import { ConnectError, connectOwner } from '../pg/owner-connection.js';
import { quoteIdent, quoteLiteral } from '../sqltext/sql.js';
const WEB = 'stowage_web';
const SERVICE = 'stowage_service';
const ATTEMPTS = 8;
/**
 * Connection strings of the two logins that requests run on, proven to work. Their passwords follow from the secret; where one is refused
 * (a new database, another secret before) the owner sets it.
 *
 * @throws StartupError
 */
export async function ensureLogins(owner, jwtSecret, urlFor) {
    const without = await loginsWithoutPassword(owner);
    const ensure = async (login) => {
        const password = loginPassword(jwtSecret, login);
        const url = urlFor(login, password);
        // trying would leave a refusal in the server's log at every first start
        if (!without.includes(login) && (await canConnect(url)))
            return url;
        await setPassword(owner, login, password);
        if (await canConnect(url))
            return url;
        throw new StartupError(`The database does not let ${login} in though its password is right: allow it in pg_hba.conf, or in the pooler.`);
    };
    const [web, service] = await Promise.all([ensure(WEB), ensure(SERVICE)]);
    return { web, service };
}
/** Only a superuser may look; anybody else learns by trying. */
async function loginsWithoutPassword(owner) {
    const found = await owner
        .query(`/* logins.without_password */ select a.rolname as name from pg_catalog.pg_authid a where a.rolname in ('${WEB}', '${SERVICE}') and a.rolpassword is null`)
        .catch(() => ({ rows: [] }));
    return found.rows.map(({ name }) => name);
}
/** False when the password is wrong. */
async function canConnect(url) {
    try {
        await (await connectOwner(url, 'stowage start')).end();
        return true;
    }
    catch (error) {
        if (error instanceof ConnectError && (error.sqlstate === '28P01' || error.sqlstate === '28000'))
            return false;
        throw new StartupError(`The database does not let ${new URL(url).username} in: ${reasonOf(error)}.`, { cause: error });
    }
}
async function setPassword(owner, login, password) {
    const statement = `/* logins.set_password */ alter role ${quoteIdent(login)} password ${quoteLiteral(scramVerifier(password))}`;
    for (let attempt = 1;; attempt += 1) {
        try {
            await owner.query(statement);
            return;
        }
        catch (error) {
            const otherWasQuicker = reasonOf(error).includes('tuple concurrently');
            if (!otherWasQuicker || attempt === ATTEMPTS) {
                throw new StartupError(`The password of the login ${login} could not be set (${reasonOf(error)}): start once with a superuser in DATABASE_URL.`, {
                    cause: error,
                });
            }
            await sleep(attempt * 20 * (1 + Math.random()));
        }
    }
}
