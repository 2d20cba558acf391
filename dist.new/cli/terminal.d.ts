/** Progress and advice, kept apart from what a command answers. */
export declare const say: (line: string) => void;
/** What a command answers. */
export declare const print: (text: string) => void;
/** A reason that the person can do something about as it is; a fault of ours with its place. */
export declare function complain(error: unknown): void;
/** Names on the left, values in a column. */
export declare function table(rows: readonly (readonly [string, string])[]): string;
