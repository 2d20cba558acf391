import { createHash, randomBytes } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode, StartupError } from '../config/startup-error.js';
import { readPrivateFile } from './private-file.js';
/**
 * Takes a data folder for this process. The lock is a listening socket, so it ends with the process however that ends,
 * and no number of a dead process has to be judged.
 *
 * @param holder asked whenever another process wants the folder
 * @throws StartupError naming the process that has it
 */
export async function lockFolder(folder, holder) {
    const address = await addressOf(folder);
    for (let attempt = 1;; attempt += 1) {
        const server = await listen(address, holder);
        if (server)
            return { release: () => new Promise((resolve) => server.close(() => resolve())) };
        const other = await ask(address);
        if (other !== 'nobody' || attempt === 5)
            throw inUse(folder, other);
        // the socket file of a process that is no more; on Linux there are none
        await rm(address, { force: true });
    }
}
/** The process that serves from the folder, or null. */
export async function holderOf(folder) {
    const answer = await ask(await addressOf(folder));
    return typeof answer === 'string' ? null : answer;
}
function inUse(folder, other) {
    const who = typeof other === 'string' ? 'another process' : `process ${other.pid}${other.baseUrl ? ` (${other.baseUrl})` : ''}`;
    return new StartupError(`The data folder ${folder} is in use by ${who}: stop that one, or set STOWAGE_DATA to another folder.`);
}
/**
 * Linux has socket names that are in no file system and vanish with their process (unix(7), abstract). The name is made of the folder's
 * identity and of a secret in it, so that other accounts cannot take it first, and a copy of the folder has another.
 */
async function addressOf(folder) {
    const { dev, ino } = await stat(folder);
    const file = join(folder, 'lock-id');
    await writeFile(file, randomBytes(16).toString('hex'), { flag: 'wx', mode: 0o600 }).catch((error) => {
        if (errorCode(error) !== 'EEXIST')
            throw error;
    });
    const name = createHash('sha256')
        .update(`${dev} ${ino} ${await readPrivateFile(file)}`)
        .digest('hex')
        .slice(0, 32);
    return process.platform === 'linux' ? `\0stowage-${name}` : join(tmpdir(), `stowage-${name}.sock`);
}
const listen = (address, holder) => new Promise((resolve, reject) => {
    const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.end(JSON.stringify(holder()));
    });
    server.once('error', (error) => (errorCode(error) === 'EADDRINUSE' ? resolve(null) : reject(error)));
    server.listen(address, () => {
        // the lock alone is no reason to go on living
        server.unref();
        resolve(server);
    });
});
const ask = (address) => new Promise((resolve) => {
    const socket = connect(address);
    let text = '';
    socket.setTimeout(1_000, () => socket.destroy());
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
        text += chunk;
    });
    socket.on('error', (error) => {
        if (errorCode(error) === 'ECONNREFUSED' || errorCode(error) === 'ENOENT')
            resolve('nobody');
    });
    socket.on('close', () => resolve(parse(text)));
});
function parse(text) {
    try {
        const { pid, baseUrl } = JSON.parse(text);
        return { pid, baseUrl };
    }
    catch {
        return 'silent';
    }
}
