import { singleFlight } from '../std/single-flight.js';
const FOLDER_MODE = 0o700;
/**
 * The folders `ab/cd` of a store. A folder counts as known only when the folder above it was flushed by this process: one that was
 * met may have been made just before a crash, and then nothing says yet that its name is on the disk.
 */
export function createFolderKeeper(root, io) {
    const known = new Set();
    const above = (folder) => folder.slice(0, folder.lastIndexOf('/'));
    const make = singleFlight(async (folder) => {
        await makeFolder(folder, io);
        await syncFolder(above(folder), io);
        known.add(folder);
    });
    return {
        homeOf: (version) => `${root}/${version.slice(0, 2)}/${version.slice(2, 4)}`,
        ensure: async (folder) => {
            if (known.has(folder))
                return;
            const outer = above(folder);
            if (!known.has(outer))
                await make(outer);
            await make(folder);
        },
        forget: (folder) => {
            known.delete(folder);
            known.delete(above(folder));
        },
    };
}
async function makeFolder(folder, io) {
    try {
        await io.mkdir(folder, { mode: FOLDER_MODE });
    }
    catch (error) {
        if (error.code !== 'EEXIST')
            throw error;
    }
}
export async function syncFolder(folder, io) {
    const handle = await io.open(folder, 'r');
    try {
        await handle.sync();
    }
    finally {
        await handle.close();
    }
}
