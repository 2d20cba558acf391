import { access, chmod, constants, mkdir, realpath, stat } from 'node:fs/promises';
import { errorCode, reasonOf, StartupError } from '../config/startup-error.js';
/**
 * Makes the data folder if need be, closed to other accounts whatever the umask, and answers its real path.
 * @throws StartupError when it cannot be used
 */
export async function openDataFolder(path) {
    try {
        const made = await mkdir(path, { recursive: true, mode: 0o700 });
        if (made !== undefined)
            await chmod(path, 0o700);
        if (!(await stat(path)).isDirectory())
            throw new StartupError(`The data folder ${path} is not a folder: set STOWAGE_DATA to another.`);
        await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
        return await realpath(path);
    }
    catch (error) {
        if (error instanceof StartupError)
            throw error;
        throw new StartupError(`The data folder ${path} cannot be ${verb(error)}: ${plainly(error)}. Set STOWAGE_DATA to a folder that can be written.`, {
            cause: error,
        });
    }
}
const verb = (error) => (error instanceof Error && 'syscall' in error && error.syscall === 'mkdir' ? 'made' : 'written');
function plainly(error) {
    const words = {
        EACCES: 'permission denied',
        EPERM: 'permission denied',
        EROFS: 'the file system is read-only',
        ENOTDIR: 'a part of its path is a file',
        EEXIST: 'there is a file of that name',
        ENOSPC: 'the disk is full',
        ELOOP: 'too many symbolic links',
    };
    return words[errorCode(error) ?? ''] ?? reasonOf(error);
}
