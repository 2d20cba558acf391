import { Readable } from 'node:stream';
import { bytes } from '../std/brand.js';
import { NoSuchBytes, TooManyBytes, VersionExists } from './byte-store.js';
import { createFingerprint } from './fingerprint.js';
import { readChunks } from './read-chunks.js';
/** Bytes in the process, for tests: gone with it, and as large as its heap. */
export function createMemoryByteStore() {
    const versions = new Map();
    const arriving = new Set();
    const whole = (version) => {
        const found = versions.get(version);
        if (!found)
            throw new NoSuchBytes(version);
        return found;
    };
    async function put(version, body, maxBytes, signal) {
        if (versions.has(version) || arriving.has(version))
            throw new VersionExists(version);
        arriving.add(version);
        try {
            const fingerprint = createFingerprint();
            const chunks = [];
            for await (const chunk of readChunks(body, signal)) {
                fingerprint.add(chunk);
                if (fingerprint.size() > maxBytes)
                    throw new TooManyBytes(`more than ${maxBytes} bytes`);
                chunks.push(Buffer.from(chunk));
            }
            signal.throwIfAborted();
            versions.set(version, Buffer.concat(chunks));
            return fingerprint.finish();
        }
        finally {
            arriving.delete(version);
        }
    }
    return {
        put: (version, body, { maxBytes, signal }) => put(version, body, maxBytes, signal),
        get: async (version, { range, signal }) => {
            signal.throwIfAborted();
            const found = whole(version);
            return Readable.from([range ? found.subarray(range.first, range.last + 1) : found], { objectMode: false, signal });
        },
        copy: async (from, to, { signal }) => {
            signal.throwIfAborted();
            return put(to, Readable.from([whole(from)], { objectMode: false }), bytes(Number.MAX_SAFE_INTEGER), signal);
        },
        delete: async (gone) => {
            for (const version of gone)
                versions.delete(version);
        },
        list: async (after, limit) => [...versions.keys()]
            .sort()
            .filter((version) => after === null || version > after)
            .slice(0, limit),
        close: async () => versions.clear(),
    };
}
