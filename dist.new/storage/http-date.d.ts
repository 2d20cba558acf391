/** Whole seconds since 1970 of an HTTP date in any of its three forms (RFC 9110 5.6.7); null: it is none. */
export declare function httpDateSeconds(text: string): number | null;
/** IMF-fixdate, second precision. */
export declare const httpDate: (date: Date) => string;
