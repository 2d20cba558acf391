import { randomUUID } from 'node:crypto';
import fsPromises from 'node:fs/promises';
import { syncFolder } from './folder-keeper.js';
const NAME = 'stowage-store.json';
export function createFsStoreMarker(folder) {
    const file = `${folder}/${NAME}`;
    return {
        read: async () => {
            let text;
            try {
                text = await fsPromises.readFile(file, 'utf8');
            }
            catch (error) {
                if (error.code === 'ENOENT')
                    return null;
                throw error;
            }
            return storeIdIn(text) ?? Promise.reject(new Error(`${file} does not name a store`));
        },
        write: async (storeId) => {
            const draft = `${file}.${randomUUID()}`;
            const handle = await fsPromises.open(draft, 'wx', 0o600);
            try {
                try {
                    await handle.writeFile(`${JSON.stringify({ storeId })}\n`);
                    await handle.sync();
                }
                finally {
                    await handle.close();
                }
                await fsPromises.rename(draft, file);
            }
            catch (error) {
                await fsPromises.unlink(draft).catch(() => undefined);
                throw error;
            }
            await syncFolder(folder, fsPromises);
        },
    };
}
function storeIdIn(text) {
    try {
        const { storeId } = JSON.parse(text);
        return typeof storeId === 'string' && /^[0-9a-f-]{36}$/.test(storeId) ? storeId : null;
    }
    catch {
        return null;
    }
}
