import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { totalmem } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, reasonOf, StartupError } from '../config/startup-error.js';
import { findPostgresBinaries } from './postgres-binaries.js';
import { readPrivateFile, syncFolder, writePrivateFile } from './private-file.js';
import { canReach, chooseServerAccount } from './server-account.js';
const FIRST_PORTS = [5433, 5434, 5435, 5436];
const READY = 'database system is ready to accept connections';
const FAST_STOP_MS = 20_000;
/** A socket's address holds 104 bytes on macOS, 108 on Linux; the longest file name of ours takes 16. */
const MAX_SOCKET_FOLDER_BYTES = 87;
/** The highest number that Linux gives a process is one less. */
const UNUSED_PID = '4194304';
/**
 * Starts the PostgreSQL that comes with the package: makes the cluster on first use, ends a server that a killed service left behind,
 * and returns when connections are accepted. Two callers on one folder must be kept apart by the caller.
 *
 * @throws StartupError
 */
export async function startEmbeddedPostgres(options) {
    if (process.platform === 'win32') {
        throw new StartupError('The built-in PostgreSQL runs on Linux and macOS: set DATABASE_URL to a PostgreSQL of your own.');
    }
    const place = await findPlace(options.folder);
    const binaries = await findPostgresBinaries(place.account, place.account ? '/var/lib/stowage/programs' : join(place.home, 'programs'));
    await endLeftOver(place.data, options.onLine);
    const state = await makeCluster(place, binaries, options);
    await chmod(place.data, 0o700);
    const socketFolder = await makeSocketFolder(place);
    const controlPath = await makeControlPath(place, options.extensionFolder);
    for (const port of await portsToTry(options.port, state.port)) {
        const started = await startServer(place.account, binaries.postgres, place.data, [...settings(options.durable, socketFolder, controlPath), `port=${port}`], options.onLine);
        if (started === 'port taken') {
            if (options.port !== undefined)
                throw new StartupError(`Port ${port} for PostgreSQL is taken by another program.`);
            continue;
        }
        if (state.port !== port && options.port === undefined)
            await saveState(place.stateFile, { ...state, port });
        const authority = (login, password) => `${encodeURIComponent(login)}:${encodeURIComponent(password)}`;
        return {
            superuserUrl: `postgresql://${authority('postgres', state.password)}@127.0.0.1:${port}/postgres`,
            urlFor: (login, password) => `postgresql://${authority(login, password)}@localhost:${port}/postgres?host=${encodeURIComponent(socketFolder)}`,
            socketFolder,
            port,
            pid: started.pid,
            exited: started.exited,
            stop: async () => {
                await started.stop();
                if (socketFolder !== join(place.home, 'run'))
                    await rm(socketFolder, { recursive: true, force: true });
            },
        };
    }
    throw new StartupError('No free port on 127.0.0.1 was found for PostgreSQL.');
}
/** The superuser's connection string of the last start, whether or not the server runs; null when there is none. */
export async function lastSuperuserUrl(folder) {
    const state = await readState(join(folder, 'postgres.json'));
    return state?.port ? `postgresql://postgres:${encodeURIComponent(state.password)}@127.0.0.1:${state.port}/postgres` : null;
}
/**
 * Decides where the cluster lives: in the folder, or, where the server's account cannot get there (a folder below /root),
 * under /var/lib/stowage, with a note in the folder that says so.
 */
async function findPlace(folder) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const real = await realpath(folder);
    const stateFile = join(real, 'postgres.json');
    const note = join(real, 'postgres-lives-at');
    const noted = (await readPrivateFile(note))?.trim();
    const owner = await stat(join(noted ?? real, 'postgres')).catch(() => null);
    if (noted && !owner) {
        throw new StartupError(`The database of ${folder} lives in ${noted}, which is missing: bring it back, or remove ${note} to begin anew.`);
    }
    const account = await chooseServerAccount(owner);
    const at = (home) => ({ account, home, data: join(home, 'postgres'), stateFile });
    if (noted || !account)
        return at(noted ?? real);
    if ((await stat(real)).uid === 0) {
        await chown(real, 0, account.gid);
        await chmod(real, 0o710);
    }
    const data = join(real, 'postgres');
    if (!owner)
        await makeFolderFor(account, data);
    if (canReach(account, [data]))
        return at(real);
    if (owner && (await stat(join(data, 'PG_VERSION')).catch(() => null))) {
        throw new StartupError(`The account with number ${account.uid}, which runs the database, cannot get to ${data}: let it pass through the folders above.`);
    }
    await rm(data, { recursive: true, force: true });
    const home = join('/var/lib/stowage', createHash('sha256').update(real).digest('hex').slice(0, 16));
    await mkdir('/var/lib/stowage', { recursive: true, mode: 0o755 });
    await makeFolderFor(account, home);
    await makeFolderFor(account, join(home, 'postgres'));
    await writePrivateFile(note, `${home}\n`);
    return at(home);
}
async function makeFolderFor(account, path) {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await chmod(path, 0o700);
    if (account)
        await chown(path, account.uid, account.gid);
}
async function readState(path) {
    const text = await readPrivateFile(path);
    if (text === null)
        return null;
    try {
        const { password, port } = JSON.parse(text);
        if (typeof password === 'string')
            return { password, port: typeof port === 'number' ? port : null };
    }
    catch {
        // said below
    }
    throw new StartupError(`${path} is damaged: it holds the password of the built-in PostgreSQL as {"password": "...", "port": 5433}.`);
}
const saveState = (path, state) => writePrivateFile(path, `${JSON.stringify(state)}\n`);
/** initdb works beside the final place and the result is renamed, so that a cluster is there whole or not at all. */
async function makeCluster(place, binaries, options) {
    const known = await readState(place.stateFile);
    const version = (await readFile(join(place.data, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
    if (version && version !== binaries.major) {
        throw new StartupError(`The database in ${place.data} was made by PostgreSQL ${version}, and the built-in one is ${binaries.major}: move the data with pg_dump, or use the older release.`);
    }
    if (version && known)
        return known;
    if (version)
        throw new StartupError(`${place.stateFile} is missing: it holds the password of the database in ${place.data}.`);
    options.onLine('making a new database');
    const state = known ?? { password: randomBytes(24).toString('base64url'), port: null };
    await saveState(place.stateFile, state);
    const unfinished = `${place.data}.new`;
    const passwordFile = `${place.data}.password`;
    await rm(unfinished, { recursive: true, force: true });
    await makeFolderFor(place.account, unfinished);
    await writePrivateFile(passwordFile, `${state.password}\n`);
    if (place.account)
        await chown(passwordFile, place.account.uid, place.account.gid);
    try {
        await initialise(place.account, binaries.initdb, [
            `--pgdata=${unfinished}`,
            '--username=postgres',
            `--pwfile=${passwordFile}`,
            '--auth=scram-sha-256',
            '--encoding=UTF8',
            '--locale=C',
            '--locale-provider=builtin',
            '--builtin-locale=C.UTF-8',
            ...(options.durable ? [] : ['--no-sync']),
        ]);
    }
    finally {
        await rm(passwordFile, { force: true });
    }
    await rename(unfinished, place.data);
    await syncFolder(place.home);
    return state;
}
async function initialise(account, initdb, args) {
    const child = spawn(initdb, args, { ...account, cwd: '/', env: serverEnvironment(), stdio: ['ignore', 'ignore', 'pipe'] });
    const said = [];
    createInterface({ input: child.stderr }).on('line', (line) => said.push(line));
    const atExit = () => child.kill('SIGKILL');
    process.once('exit', atExit);
    const ended = await outcome(child);
    process.off('exit', atExit);
    if (ended === 0)
        return;
    const why = said.filter((line) => /error|fatal|could not|cannot/i.test(line)).at(-1) ?? said.at(-1) ?? `it ended with ${ended}`;
    throw new StartupError(`PostgreSQL could not make its database: ${why}`);
}
const outcome = (child) => new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new StartupError(`The built-in PostgreSQL could not be run: ${reasonOf(error)}.`, { cause: error })));
    child.once('close', (code, signal) => resolve(code ?? signal ?? 1));
});
/** Nothing of ours but what a server needs: PG* variables of the caller would change what initdb and postgres do. */
function serverEnvironment() {
    return { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}
/** A socket path is short or does not work, so a long one moves to /tmp. */
async function makeSocketFolder(place) {
    const run = join(place.home, 'run');
    if (Buffer.byteLength(run) <= MAX_SOCKET_FOLDER_BYTES && !/[",]/.test(run)) {
        // what a killed server left in it would be in the next one's way
        await rm(run, { recursive: true, force: true });
        await makeFolderFor(place.account, run);
        return run;
    }
    const short = await mkdtemp('/tmp/stowage-');
    await makeFolderFor(place.account, short);
    return short;
}
/** PostgreSQL looks for `extension/*.control` below each entry of extension_control_path (manual 19.11). */
async function makeControlPath(place, extensionFolder) {
    if (extensionFolder === null)
        return '$system';
    const real = await realpath(extensionFolder);
    const above = dirname(real);
    if (basename(real) === 'extension' && !above.includes(':') && canReach(place.account, [real]))
        return `${above}:$system`;
    const copy = join(place.home, 'extension');
    await rm(copy, { recursive: true, force: true });
    await cp(real, copy, { recursive: true });
    await makeFolderFor(place.account, copy);
    for (const name of await readdir(copy))
        await chmod(join(copy, name), 0o644);
    return `${place.home}:$system`;
}
function settings(durable, socketFolder, controlPath) {
    const megabytes = Math.floor(totalmem() / 2 ** 20);
    const always = [
        'listen_addresses=127.0.0.1',
        `unix_socket_directories="${socketFolder}"`,
        'unix_socket_permissions=0700',
        `extension_control_path=${controlPath}`,
        'max_connections=100',
        `shared_buffers=${Math.min(512, Math.max(32, Math.floor(megabytes / 32)))}MB`,
        `effective_cache_size=${Math.max(128, Math.floor(megabytes / 2))}MB`,
        'work_mem=8MB',
        'maintenance_work_mem=64MB',
        'random_page_cost=1.1',
        'jit=off',
        'logging_collector=off',
        'log_destination=stderr',
        'log_line_prefix=',
        'log_checkpoints=off',
        // a statement's text may hold a user's data, and the log is read by more people than the database
        'log_min_error_statement=panic',
    ];
    if (durable)
        return always;
    return [...always, 'fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0'];
}
async function portsToTry(wanted, last) {
    if (wanted !== undefined)
        return [wanted];
    const candidates = last === null ? FIRST_PORTS : [last, ...FIRST_PORTS];
    const free = [];
    for (const port of [...candidates, 0, 0, 0]) {
        const found = await freePort(port);
        if (found)
            free.push(found);
    }
    return free;
}
/** The port itself if it is free, for 0 any free one, else null. */
const freePort = (port) => new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(null));
    probe.listen(port, '127.0.0.1', () => {
        const address = probe.address();
        probe.close(() => resolve(typeof address === 'object' && address ? address.port : null));
    });
});
async function startServer(account, postgres, data, serverSettings, onLine) {
    const patience = performance.now() + 10_000;
    for (;;) {
        const attempt = await attemptStart(account, postgres, data, serverSettings, onLine);
        if (typeof attempt !== 'string')
            return attempt;
        if (/address already in use/i.test(attempt))
            return 'port taken';
        // the children of a killed server need a moment to notice
        if (/shared memory block/i.test(attempt) && performance.now() < patience)
            await sleep(200);
        else
            throw new StartupError(`PostgreSQL did not start: ${attempt}`);
    }
}
/** The running server, or why there is none. */
async function attemptStart(account, postgres, data, serverSettings, onLine) {
    const child = spawn(postgres, ['-D', data, ...serverSettings.flatMap((setting) => ['-c', setting])], {
        ...account,
        cwd: '/',
        env: serverEnvironment(),
        stdio: ['ignore', 'ignore', 'pipe'],
        // a session of its own: Ctrl-C in a terminal is for the service, which then stops its database last
        detached: true,
    });
    const complaints = [];
    const lines = createInterface({ input: child.stderr });
    const ended = outcome(child);
    const ready = new Promise((resolve) => {
        lines.on('line', (line) => {
            if (/FATAL|PANIC|could not|address already in use/i.test(line) && complaints.length < 20)
                complaints.push(line);
            onLine(line);
            if (line.includes(READY))
                resolve('ready');
        });
    });
    const first = await Promise.race([ready, ended]);
    if (first !== 'ready' || child.pid === undefined) {
        const decisive = complaints.find((line) => /address already in use|shared memory block/i.test(line)) ?? complaints.at(-1);
        return decisive?.replace(/^\s*\w+:\s+/, '') ?? `it ended with ${first}`;
    }
    const atExit = () => child.kill('SIGINT');
    process.once('exit', atExit);
    const exited = ended.then(() => {
        process.off('exit', atExit);
    });
    const stop = async () => {
        child.kill('SIGINT');
        const slow = setTimeout(() => child.kill('SIGQUIT'), FAST_STOP_MS);
        await exited;
        clearTimeout(slow);
    };
    return { pid: child.pid, exited, stop };
}
/** A service that was killed leaves its server running; one data folder has one server, so that one ends first. */
async function endLeftOver(data, onLine) {
    const pidFile = join(data, 'postmaster.pid');
    const noted = (await readFile(pidFile, 'utf8').catch(() => '')).split('\n');
    const pid = Number(noted[0]);
    const socketFolder = noted[4];
    if (Number.isInteger(pid) && pid > 0 && isAlive(pid)) {
        const who = await identify(pid, data);
        if (who === 'server') {
            onLine(`ending the PostgreSQL that was left running (process ${pid})`);
            await endServer(pid, data);
        }
        else if (who === 'other') {
            // The number belongs to another program by now, or to a server that nobody has buried, and PostgreSQL would refuse to start.
            // The other lines stay: they let it find children of the old server by the shared memory they hold.
            await writeFile(pidFile, [UNUSED_PID, ...noted.slice(1)].join('\n'));
        }
    }
    if (socketFolder?.startsWith('/tmp/stowage-'))
        await rm(socketFolder, { recursive: true, force: true });
}
function isAlive(pid) {
    try {
        process.kill(pid, 0);
        return true;
    }
    catch (error) {
        return errorCode(error) === 'EPERM';
    }
}
/** A server names its data folder in its command line; a dead process that is still listed has none. */
async function identify(pid, data) {
    const command = await (process.platform === 'linux' ? readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null) : listedCommand(pid));
    if (command === null)
        return isAlive(pid) ? 'unknown' : 'other';
    return command.includes(data) ? 'server' : 'other';
}
async function listedCommand(pid) {
    const listed = spawn('ps', ['-o', 'command=', '-p', String(pid)], { stdio: ['ignore', 'pipe', 'ignore'] });
    let command = '';
    listed.stdout.on('data', (chunk) => {
        command += chunk.toString();
    });
    return (await outcome(listed)) === 0 ? command : null;
}
async function endServer(pid, data) {
    const steps = [
        ['SIGINT', FAST_STOP_MS],
        ['SIGQUIT', 5_000],
    ];
    for (const [signal, patienceMs] of steps) {
        try {
            process.kill(pid, signal);
        }
        catch (error) {
            if (errorCode(error) === 'ESRCH')
                return;
            throw new StartupError(`PostgreSQL is still running as process ${pid} and may not be ended by this account: end it first.`, {
                cause: error,
            });
        }
        const until = performance.now() + patienceMs;
        while (performance.now() < until) {
            if (!isAlive(pid) || (await identify(pid, data)) === 'other')
                return;
            await sleep(20);
        }
    }
    throw new StartupError(`PostgreSQL is still running as process ${pid} and does not end: end it first.`);
}
