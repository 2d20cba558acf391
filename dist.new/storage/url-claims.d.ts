/** What a signed address allows, and for which object: `url` is bucket and key, decoded. */
export type UrlClaims = {
    readonly scope: 'download';
    readonly url: string;
} | {
    readonly scope: 'upload';
    readonly url: string;
    readonly upsert: boolean;
    readonly owner: string | null;
};
export type VerifiedUrl = UrlClaims & {
    readonly expiresAt: Date;
};
