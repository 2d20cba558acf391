/** At most `most` pieces of work at a time; the others wait in order of arrival. */
export declare function createTurnstile(most: number): <T>(work: () => Promise<T>) => Promise<T>;
