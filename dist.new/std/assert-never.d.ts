/** Closes a union: a new member makes the compiler name every place that must learn it. */
export declare function assertNever(value: never): never;
