import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
const NOBODY = { uid: 65534, gid: 65534 };
/**
 * PostgreSQL refuses to run as root (manual 18.1), so root steps down to `postgres`, else to `nobody`.
 * An existing database keeps its owner, so that a folder made by one account can be served by root later.
 */
export async function chooseServerAccount(owner) {
    if (process.getuid?.() !== 0)
        return null;
    if (owner && owner.uid !== 0)
        return owner;
    const accounts = await readFile('/etc/passwd', 'utf8').catch(() => '');
    const find = (name) => accounts.split('\n').find((line) => line.startsWith(`${name}:`));
    const [, , uid, gid] = (find('postgres') ?? find('nobody') ?? '').split(':');
    return uid && gid ? { uid: Number(uid), gid: Number(gid) } : NOBODY;
}
/** True if the account can get at every path: tried by a process of that account, since mode bits are not the whole truth. */
export function canReach(account, paths) {
    const script = 'for path; do test -r "$path" || exit 1; if test -d "$path"; then test -x "$path" || exit 1; fi; done';
    const tried = spawnSync('/bin/sh', ['-c', script, 'sh', ...paths], { ...account, cwd: '/', stdio: 'ignore' });
    return tried.status === 0;
}
