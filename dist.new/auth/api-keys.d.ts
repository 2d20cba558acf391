export type ApiKeys = {
    readonly anonKey: string;
    readonly serviceKey: string;
};
/** The two keys that applications are set up with: session tokens that name a role and nobody. Equal arguments give equal keys. */
export declare function makeApiKeys(secret: string, issuedAt: Date): Promise<ApiKeys>;
