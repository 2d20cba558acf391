import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { makeApiKeys } from '../auth/api-keys.js';
import { StartupError } from '../config/startup-error.js';
import { readPrivateFile, writePrivateFile } from './private-file.js';
/**
 * The secret of the session tokens and the two keys made with it: from the data folder, made there on first use.
 * @param given JWT_SECRET, which stands before the folder's own
 */
export async function openSecrets(folder, given) {
    const path = join(folder, 'keys.json');
    const kept = await read(path);
    const jwtSecret = given ?? kept?.jwtSecret ?? randomBytes(32).toString('base64url');
    const issuedAt = kept?.issuedAt ?? new Date().toISOString();
    if (!kept || (given === null && kept.jwtSecret === undefined)) {
        const keep = given === null ? { jwtSecret, issuedAt } : { issuedAt };
        await writePrivateFile(path, `${JSON.stringify(keep, null, 2)}\n`);
    }
    return { jwtSecret, ...(await makeApiKeys(jwtSecret, new Date(issuedAt))), fresh: kept === null };
}
/** The same without making any; null when the folder has none. */
export async function readSecrets(folder, given) {
    const kept = await read(join(folder, 'keys.json'));
    const jwtSecret = given ?? kept?.jwtSecret;
    return kept && jwtSecret !== undefined ? { jwtSecret, ...(await makeApiKeys(jwtSecret, new Date(kept.issuedAt))) } : null;
}
async function read(path) {
    const text = await readPrivateFile(path);
    if (text === null)
        return null;
    try {
        const kept = JSON.parse(text);
        const secretFits = kept.jwtSecret === undefined || (typeof kept.jwtSecret === 'string' && Buffer.byteLength(kept.jwtSecret) >= 32);
        if (secretFits && !Number.isNaN(Date.parse(kept.issuedAt)))
            return kept;
    }
    catch {
        // said below
    }
    throw new StartupError(`${path} is damaged: bring it back from a copy, or remove it to get new keys (tokens made with the old ones end).`);
}
