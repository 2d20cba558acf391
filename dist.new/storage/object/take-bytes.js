import { NoSuchBytes, TooManyBytes } from '../../bytes/byte-store.js';
import { badDigest, clientGone, entityTooLarge } from '../errors.js';
/**
 * The one gate: whatever comes in from outside, in whatever form, comes through here. It is counted while it flows and refused at the
 * first byte too many, hashed, and durable when this resolves. The body is left as it is when it is refused, so that an answer can be sent.
 * @throws EntityTooLarge, BadDigest, Aborted
 */
export async function takeBytes(deps, version, body, { maxBytes, md5, signal }) {
    return guarded(deps, version, signal, async () => {
        const stored = await deps.bytes.put(version, body, { maxBytes, signal });
        if (md5 !== null && md5 !== stored.md5)
            throw badDigest();
        return stored;
    });
}
/** The gate for bytes that are here already; null: they are not. @throws EntityTooLarge, Aborted */
export async function copyBytes(deps, from, to, { maxBytes, signal }) {
    return guarded(deps, to, signal, async () => {
        try {
            const stored = await deps.bytes.copy(from, to, { signal });
            if (stored.size > maxBytes)
                throw entityTooLarge();
            return stored;
        }
        catch (error) {
            if (error instanceof NoSuchBytes)
                return null;
            throw error;
        }
    });
}
async function guarded(deps, version, signal, work) {
    const release = deps.hold(version);
    try {
        return await work();
    }
    catch (error) {
        if (error instanceof TooManyBytes)
            throw entityTooLarge();
        if (signal.aborted || (error instanceof Error && error.name === 'BodyBrokeOff'))
            throw clientGone({ cause: error });
        throw error;
    }
    finally {
        release();
    }
}
