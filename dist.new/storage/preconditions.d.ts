/** What conditions are asked about: the strong ETag with its quotes (RFC 9110 8.8.3), null where the object has none. */
export type Validators = {
    readonly etag: string | null;
    readonly lastModified: Date;
};
/** As they came; undefined or empty: not asked. */
export type Conditions = {
    readonly ifMatch?: string | undefined;
    readonly ifNoneMatch?: string | undefined;
    readonly ifModifiedSince?: string | undefined;
    readonly ifUnmodifiedSince?: string | undefined;
    readonly ifRange?: string | undefined;
};
export type Verdict = 'proceed' | 'not modified' | 'failed';
/** RFC 9110 13.2.2, for GET and HEAD: dates count only where no ETag condition stands beside them. */
export declare function judge(conditions: Conditions, { etag, lastModified }: Validators): Verdict;
/** Whether a Range header may be followed: RFC 9110 13.1.5. A weak ETag never, a date only if it is exactly ours. */
export declare function rangeApplies(ifRange: string | undefined, { etag, lastModified }: Validators): boolean;
export type WriteConditions = Pick<Conditions, 'ifMatch' | 'ifNoneMatch'>;
/** For a write, against what is there now (null: nothing). RFC 9110 13.1.1 and 13.1.2: `*` asks whether there is anything at all. */
export declare function mayWrite(conditions: WriteConditions, current: {
    readonly etag: string | null;
} | null): boolean;
