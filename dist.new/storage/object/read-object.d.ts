import type { Readable } from 'node:stream';
import { type ByteRange, type VersionId } from '../../bytes/byte-store.ts';
import type { StorageDeps } from '../deps.ts';
import { type Conditions } from '../preconditions.ts';
import type { ObjectRow } from '../rows/objects.sql.ts';
export type ReadRequest = {
    readonly conditions: Conditions;
    readonly range: string | undefined;
    /** HEAD: everything but the bytes; a range is not asked for (RFC 9110 14.2) */
    readonly headersOnly: boolean;
};
/** An object that can be served: its row names bytes and says how many. */
export type ServableObject = ObjectRow & {
    readonly version: VersionId;
    readonly size: number;
};
export type ReadAnswer = {
    readonly object: ServableObject;
} & ({
    readonly kind: 'not modified';
}
/** `body` is null where the headers alone were asked for */
 | {
    readonly kind: 'whole';
    readonly body: Readable | null;
} | {
    readonly kind: 'part';
    readonly range: ByteRange;
    readonly body: Readable;
});
/**
 * Everything HTTP wants to know is decided from the row; then the bytes are opened. An object overwritten between the two may have lost
 * them to the sweeper, so the row is looked up once more; if it still names the same bytes they are missing, which is an alarm.
 * @throws whatever `find` throws; PreconditionFailed, InvalidRange, NoSuchBytes
 */
export declare function readObject(deps: StorageDeps, find: () => Promise<ObjectRow>, request: ReadRequest, bucket: string, signal: AbortSignal): Promise<ReadAnswer>;
